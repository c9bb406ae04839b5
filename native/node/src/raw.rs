//! Raw Node-API: what a call was given, and what it gives back.
//!
//! Generated bindings add to every call, and a call for a fragment is short, so the few functions
//! here are written against the C interface. Beside the registration in `lib.rs` this file is the
//! only one with `unsafe` code in the crate; what it hands out is safe to use for the length of one
//! call.
//!
//! Arguments are checked in TypeScript before they come here. Where one is wrong all the same, the
//! answer is `None` and the call ends in one plain error.

use core::cell::Cell;
use core::ffi::{c_char, c_void};
use core::mem::{align_of, size_of};
use core::ptr;
use core::slice;
use std::panic::{AssertUnwindSafe, catch_unwind};

use argspan_scanner::{Finder, Inspector, Scanner};

use crate::slab::Slab;
use crate::streams::Streams;
use napi_sys::{
    Status, TypedarrayType, napi_callback, napi_callback_info, napi_create_double,
    napi_create_function, napi_create_string_latin1, napi_create_string_utf8,
    napi_create_string_utf16, napi_env, napi_get_arraybuffer_info, napi_get_cb_info,
    napi_get_typedarray_info, napi_get_value_string_latin1, napi_get_value_string_utf16,
    napi_is_arraybuffer, napi_set_instance_data, napi_set_named_property, napi_status,
    napi_throw_error, napi_value,
};

/// Units of text that one call takes; longer strings come in pieces.
pub const TEXT_UNITS_MAX: usize = 1 << 15;

/// The most arguments that a function here has.
const ARGUMENTS_MAX: usize = 2;

/// What one environment (the main thread, or a worker) keeps between calls.
pub struct Environment {
    /// Room for the units of a string, and the zero that Node-API puts behind them.
    units: Vec<u16>,
    streams: Streams,
    finders: Slab<Finder>,
    /// The same for strings whose units are a byte each.
    latin1: Vec<u8>,
    /// A scanner for whole texts, which need none of their own.
    scratch: Scanner,
    inspector: Inspector,
}

/// One call from JavaScript. Its values live as long as the call.
pub struct Call<'a> {
    env: napi_env,
    /// Where Node-API wrote them: a copy would wait until what was written one by one can be read at once.
    arguments: &'a [napi_value; ARGUMENTS_MAX],
    environment: &'a mut Environment,
    /// Where the memory begins and ends that the call has borrowed first. No function takes memory of
    /// more than [`ARGUMENTS_MAX`] arguments, so what comes second is held against it.
    borrowed: Cell<(usize, usize)>,
}

/// What a call ends with: a value, or nothing where an argument was not what it must be.
pub type Answer = Option<napi_value>;

fn ok(status: napi_status) -> Option<()> {
    (status == Status::napi_ok).then_some(())
}

impl<'a> Call<'a> {
    /// The bytes of a `Uint8Array`, also a `Buffer`. Nothing runs in JavaScript while they are
    /// borrowed. None where another thread may write to them.
    pub fn bytes(&self, index: usize) -> Option<&'a [u8]> {
        let mut kind = TypedarrayType::int8_array;
        let mut data = ptr::null_mut();
        let mut length = 0;
        let mut buffer = ptr::null_mut();
        // SAFETY: `env` and the argument are those of the running call.
        ok(unsafe {
            napi_get_typedarray_info(
                self.env,
                *self.arguments.get(index)?,
                &raw mut kind,
                &raw mut length,
                &raw mut data,
                &raw mut buffer,
                ptr::null_mut(),
            )
        })?;
        let mut own = false;
        // SAFETY: `env` is that of the running call, and Node-API has just given the buffer.
        ok(unsafe { napi_is_arraybuffer(self.env, buffer, &raw mut own) })?;
        if !own || kind != TypedarrayType::uint8_array {
            return None;
        }
        self.borrow_memory(data, length)?;
        // SAFETY: Node-API answers with the memory of a view that this call keeps alive, in elements
        // of a byte. It is not shared with another thread, and not borrowed otherwise. All of that
        // was checked just above.
        unsafe { slice_of(data, length) }
    }

    /// The memory of an `ArrayBuffer`.
    fn memory(&self, index: usize) -> Option<(*mut c_void, usize)> {
        let mut data = ptr::null_mut();
        let mut length = 0;
        // SAFETY: `env` and the argument are those of the running call.
        ok(unsafe {
            napi_get_arraybuffer_info(
                self.env,
                *self.arguments.get(index)?,
                &raw mut data,
                &raw mut length,
            )
        })?;
        (!data.is_null()).then_some((data, length))
    }

    /// The scanner that an `ArrayBuffer` is.
    pub fn scanner(&self, index: usize) -> Option<&'a mut Scanner> {
        let (data, length) = self.memory(index)?;
        let scanner = data.cast::<Scanner>();
        if length < size_of::<Scanner>() || !scanner.is_aligned() {
            return None;
        }
        self.borrow_memory(data, size_of::<Scanner>())?;
        // SAFETY: the buffer is long enough and aligned, and not borrowed otherwise, all checked
        // above; every bit pattern is a valid `Scanner`; the buffer lives as long as the call and
        // belongs to one thread.
        Some(unsafe { &mut *scanner })
    }

    /// Borrows memory for the length of the call; none where it overlaps with what is borrowed.
    fn borrow_memory(&self, data: *mut c_void, length: usize) -> Option<()> {
        let (start, end) = self.borrowed.get();
        let from = data.addr();
        let to = from.checked_add(length)?;
        if from < end && start < to {
            return None;
        }
        if start == end {
            self.borrowed.set((from, to));
        }
        Some(())
    }

    /// The numbers that an `ArrayBuffer` holds.
    pub fn numbers<const COUNT: usize>(&self, index: usize) -> Option<&'a mut [f64; COUNT]> {
        let (data, length) = self.memory(index)?;
        let numbers = data.cast::<[f64; COUNT]>();
        if length < size_of::<[f64; COUNT]>() || !numbers.is_aligned() {
            return None;
        }
        self.borrow_memory(data, size_of::<[f64; COUNT]>())?;
        // SAFETY: the buffer is long enough and aligned, and not borrowed otherwise, all checked
        // above; every bit pattern is an `f64`; it lives as long as the call and belongs to one
        // thread.
        Some(unsafe { &mut *numbers })
    }

    /// The units of UTF-16 that an `ArrayBuffer` holds behind their number.
    pub fn units(&self, index: usize) -> Option<&'a [u16]> {
        let (data, length) = self.memory(index)?;
        let units = data.cast::<u16>();
        if !units.is_aligned() {
            return None;
        }
        self.borrow_memory(data, length)?;
        // SAFETY: the buffer has that many bytes, is aligned, and not borrowed otherwise; every bit
        // pattern is a unit; it lives as long as the call and belongs to one thread.
        let units = unsafe { slice::from_raw_parts(units, length / size_of::<u16>()) };
        let (&count, units) = units.split_first()?;
        units.get(..usize::from(count))
    }

    /// The scanner for whole texts.
    pub fn scratch(&mut self) -> &mut Scanner {
        &mut self.environment.scratch
    }

    /// The units of a string of at most [`TEXT_UNITS_MAX`], and the scanner for whole texts.
    pub fn text(&mut self, index: usize) -> Option<(&[u16], &mut Scanner)> {
        let Environment { units, scratch, .. } = &mut *self.environment;
        let mut length = 0;
        // SAFETY: `env` and the argument are those of the running call; there is as much room as
        // is said.
        ok(unsafe {
            napi_get_value_string_utf16(
                self.env,
                *self.arguments.get(index)?,
                units.as_mut_ptr(),
                units.len(),
                &raw mut length,
            )
        })?;
        Some((units.get(..length)?, scratch))
    }

    /// The streams of this environment.
    pub fn streams(&mut self) -> &mut Streams {
        &mut self.environment.streams
    }

    /// What looks into texts.
    pub fn inspector(&mut self) -> &mut Inspector {
        &mut self.environment.inspector
    }

    /// A string of at most [`TEXT_UNITS_MAX`], and what looks into it.
    pub fn text_and_inspector(&mut self, index: usize) -> Option<(&[u16], &mut Inspector)> {
        let length = self.text(index)?.0.len();
        let Environment {
            units, inspector, ..
        } = &mut *self.environment;
        Some((units.get(..length)?, inspector))
    }

    /// The same for a string whose units are all below 0x100.
    pub fn latin1_and_inspector(&mut self, index: usize) -> Option<(&[u8], &mut Inspector)> {
        let length = self.latin1(index)?.0.len();
        let Environment {
            latin1, inspector, ..
        } = &mut *self.environment;
        Some((latin1.get(..length)?, inspector))
    }

    /// A string of at most [`TEXT_UNITS_MAX`], and the streams of this environment.
    pub fn text_and_streams(&mut self, index: usize) -> Option<(&[u16], &mut Streams)> {
        let length = self.text(index)?.0.len();
        let Environment { units, streams, .. } = &mut *self.environment;
        Some((units.get(..length)?, streams))
    }

    /// The finders of this environment.
    pub fn finders(&mut self) -> &mut Slab<Finder> {
        &mut self.environment.finders
    }

    /// A string of at most [`TEXT_UNITS_MAX`], and the finders of this environment.
    pub fn text_and_finders(&mut self, index: usize) -> Option<(&[u16], &mut Slab<Finder>)> {
        let length = self.text(index)?.0.len();
        let Environment { units, finders, .. } = &mut *self.environment;
        Some((units.get(..length)?, finders))
    }

    /// Tells the garbage collector that so many bytes more (or fewer) hang on what it owns.
    pub fn adjust_memory(&self, change: i64) {
        let mut total = 0;
        // SAFETY: `env` is that of the running call.
        unsafe { napi_sys::napi_adjust_external_memory(self.env, change, &raw mut total) };
    }

    /// A number that counts something: a stream, a call.
    pub fn count(&self, index: usize) -> Option<usize> {
        let mut number = 0;
        // SAFETY: `env` and the argument are those of the running call.
        ok(unsafe {
            napi_sys::napi_get_value_uint32(self.env, *self.arguments.get(index)?, &raw mut number)
        })?;
        usize::try_from(number).ok()
    }

    /// The same for a string whose units are all below 0x100; of others the low bytes come.
    pub fn latin1(&mut self, index: usize) -> Option<(&mut [u8], &mut Scanner)> {
        let Environment {
            latin1, scratch, ..
        } = &mut *self.environment;
        let mut length = 0;
        // SAFETY: `env` and the argument are those of the running call; there is as much room as
        // is said.
        ok(unsafe {
            napi_get_value_string_latin1(
                self.env,
                *self.arguments.get(index)?,
                latin1.as_mut_ptr().cast(),
                latin1.len(),
                &raw mut length,
            )
        })?;
        Some((latin1.get_mut(..length)?, scratch))
    }

    /// A length as the answer, and -1 for none.
    pub fn length(&self, length: Option<u64>) -> Answer {
        let mut value = ptr::null_mut();
        let length = length
            .and_then(|length| i64::try_from(length).ok())
            .unwrap_or(-1);
        // SAFETY: `env` is that of the running call.
        ok(unsafe { napi_sys::napi_create_int64(self.env, length, &raw mut value) })?;
        Some(value)
    }

    /// A boolean as the answer, for which nothing has to be made.
    pub fn truth(&self, truth: bool) -> Answer {
        let mut value = ptr::null_mut();
        // SAFETY: `env` is that of the running call.
        ok(unsafe { napi_sys::napi_get_boolean(self.env, truth, &raw mut value) })?;
        Some(value)
    }

    /// A small whole number as the answer, which JavaScript keeps without a box.
    pub fn small(&self, number: u32) -> Answer {
        let mut value = ptr::null_mut();
        // SAFETY: `env` is that of the running call.
        ok(unsafe { napi_sys::napi_create_uint32(self.env, number, &raw mut value) })?;
        Some(value)
    }

    /// A string of ASCII as the answer.
    pub fn ascii(&self, text: &[u8]) -> Answer {
        let mut value = ptr::null_mut();
        let length = isize::try_from(text.len()).ok()?;
        // SAFETY: `env` is that of the running call, and `text` is as long as said.
        ok(unsafe {
            napi_create_string_latin1(self.env, text.as_ptr().cast(), length, &raw mut value)
        })?;
        Some(value)
    }

    /// A string as the answer.
    pub fn utf16(&self, units: &[u16]) -> Answer {
        let mut value = ptr::null_mut();
        let length = isize::try_from(units.len()).ok()?;
        // SAFETY: `env` is that of the running call, and `units` is as long as said.
        ok(unsafe { napi_create_string_utf16(self.env, units.as_ptr(), length, &raw mut value) })?;
        Some(value)
    }

    /// `undefined` as the answer, which Node-API makes of a null pointer.
    #[allow(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "an answer like the others"
    )]
    pub fn nothing(&self) -> Answer {
        Some(ptr::null_mut())
    }

    /// `null` as the answer.
    pub fn null(&self) -> Answer {
        let mut value = ptr::null_mut();
        // SAFETY: `env` is that of the running call.
        ok(unsafe { napi_sys::napi_get_null(self.env, &raw mut value) })?;
        Some(value)
    }
}

/// # Safety
///
/// `data` and `length` are what Node-API said of memory that is not written to during `'a`.
unsafe fn slice_of<'a>(data: *mut c_void, length: usize) -> Option<&'a [u8]> {
    if length == 0 {
        return Some(&[]);
    }
    if data.is_null() {
        return None;
    }
    // SAFETY: the caller says so, and the pointer is not null.
    Some(unsafe { slice::from_raw_parts(data.cast(), length) })
}

/// Runs one exported function: finds its arguments, and turns a panic or a wrong argument into one
/// JavaScript error. No unwinding reaches Node.
///
/// # Safety
///
/// To be called by Node-API, for a function that [`Exports::function`] made.
pub unsafe fn enter(
    env: napi_env,
    info: napi_callback_info,
    body: fn(&mut Call<'_>) -> Answer,
) -> napi_value {
    let mut arguments = [ptr::null_mut(); ARGUMENTS_MAX];
    let mut count = ARGUMENTS_MAX;
    let mut data = ptr::null_mut();
    // SAFETY: `env` and `info` are those of the running call, and there is room for `count`.
    let status = unsafe {
        napi_get_cb_info(
            env,
            info,
            &raw mut count,
            arguments.as_mut_ptr(),
            ptr::null_mut(),
            &raw mut data,
        )
    };
    let answer = if status == Status::napi_ok && !data.is_null() {
        // SAFETY: `data` is the environment's, which lives until the environment ends, and calls
        // of one environment do not overlap: nothing here calls JavaScript.
        let environment = unsafe { &mut *data.cast::<Environment>() };
        let mut call = Call {
            env,
            arguments: &arguments,
            environment,
            borrowed: Cell::new((0, 0)),
        };
        catch_unwind(AssertUnwindSafe(|| body(&mut call))).unwrap_or(None)
    } else {
        None
    };
    answer.unwrap_or_else(|| {
        // SAFETY: `env` is that of the running call, and both texts end in zero.
        unsafe {
            napi_throw_error(
                env,
                ptr::null(),
                c"argspan: the addon was called wrongly".as_ptr(),
            )
        };
        ptr::null_mut()
    })
}

/// The addon's exports while they are made.
pub struct Exports {
    env: napi_env,
    object: napi_value,
    environment: *mut Environment,
}

impl Exports {
    /// # Safety
    ///
    /// To be called by Node-API's registration, once for each environment.
    pub unsafe fn new(env: napi_env, exports: napi_value) -> Self {
        let environment = Box::into_raw(Box::new(Environment {
            units: vec![0; TEXT_UNITS_MAX + 1],
            streams: Streams::default(),
            finders: Slab::default(),
            latin1: vec![0; TEXT_UNITS_MAX + 1],
            scratch: Scanner::new(u64::MAX),
            inspector: Inspector::default(),
        }));
        // SAFETY: `env` is alive, and the box is freed once, when it ends.
        unsafe {
            napi_set_instance_data(
                env,
                environment.cast(),
                Some(free_environment),
                ptr::null_mut(),
            );
        }
        Self {
            env,
            object: exports,
            environment,
        }
    }

    /// Adds a function.
    pub fn function(&self, name: &core::ffi::CStr, callback: napi_callback) {
        let mut value = ptr::null_mut();
        let length = isize::try_from(name.to_bytes().len()).unwrap_or_default();
        // SAFETY: `env` is alive; the environment lives as long as the functions can be called.
        unsafe {
            let data = self.environment.cast();
            napi_create_function(
                self.env,
                name.as_ptr(),
                length,
                callback,
                data,
                &raw mut value,
            );
        }
        self.set(name, value);
    }

    /// Adds a number.
    pub fn number(&self, name: &core::ffi::CStr, number: f64) {
        let mut value = ptr::null_mut();
        // SAFETY: `env` is alive.
        unsafe { napi_create_double(self.env, number, &raw mut value) };
        self.set(name, value);
    }

    /// Adds a string.
    pub fn text(&self, name: &core::ffi::CStr, text: &str) {
        let mut value = ptr::null_mut();
        let length = isize::try_from(text.len()).unwrap_or_default();
        let start = text.as_ptr().cast::<c_char>();
        // SAFETY: `env` is alive, and `text` is as long as said.
        unsafe { napi_create_string_utf8(self.env, start, length, &raw mut value) };
        self.set(name, value);
    }

    fn set(&self, name: &core::ffi::CStr, value: napi_value) {
        if !value.is_null() {
            // SAFETY: `env` is alive, and the name ends in zero.
            unsafe { napi_set_named_property(self.env, self.object, name.as_ptr(), value) };
        }
    }
}

unsafe extern "C" fn free_environment(_env: napi_env, data: *mut c_void, _hint: *mut c_void) {
    // SAFETY: Node-API calls this once, with what `Exports::new` gave it.
    drop(unsafe { Box::from_raw(data.cast::<Environment>()) });
}

const _: () = assert!(
    align_of::<Scanner>() <= 16,
    "an ArrayBuffer is aligned to 16 bytes"
);
