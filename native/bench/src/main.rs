use std::time::Instant;
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    for p in names {
        let text = std::fs::read(&p).unwrap();
        let n = (20_000_000 / text.len()).clamp(20, 200_000);
        let mut row = vec![];
        let mut run = |f: &mut dyn FnMut()| { let mut best = f64::MAX; for _ in 0..15 { let m=n/15+1; let t = Instant::now(); for _ in 0..m { f() } best = best.min(t.elapsed().as_nanos() as f64 / m as f64); } row.push(best); };
        run(&mut || { assert!(argspan_scanner::check(std::hint::black_box(&text)).kind.is_none()); });
        run(&mut || { sonic_rs::from_slice::<serde::de::IgnoredAny>(std::hint::black_box(&text)).unwrap(); });
        let mut buf = text.clone(); let mut bufs = simd_json::Buffers::new(text.len());
        run(&mut || { buf.copy_from_slice(&text); simd_json::to_tape_with_buffers(std::hint::black_box(&mut buf), &mut bufs).unwrap(); });
        run(&mut || { serde_json::from_slice::<serde::de::IgnoredAny>(std::hint::black_box(&text)).unwrap(); });
        println!("{:28} {:7} B  argspan {:9.0} ({:.2} GB/s) sonic {:9.0} simd {:9.0} serde {:9.0}", p.file_name().unwrap().to_string_lossy(), text.len(), row[0], text.len() as f64/row[0], row[1], row[2], row[3]);
    }
}
