// What the fixtures are made of.

export const words =
  `the a file path line test value error result please change that function returns when this
  check first then build call tool which argument should be read before it runs because model
  output stream can end at any byte and nothing is known until last one has come so we wait for
  more of them while user looks on`.split(/\s+/);

export const names =
  `index count buffer offset total entry parser reader writer source target message fragment
  config options handler request response session token client server worker queue cache state`.split(
    /\s+/,
  );

export const verbs = ['get', 'set', 'read', 'write', 'find', 'make', 'parse', 'merge', 'check'];

/** Comments as they stand in code: mostly ASCII, some not. */
export const remarks = [
  'größer als der Puffer, darum zuerst kürzen',
  'naïve, but the list is short',
  'see § 4 — “whole characters only”',
  'O(n²) before, O(n) now ✓',
  'a → b → c, never back',
  '文字数ではなくバイト数',
];

/** The same comments, in ASCII. */
export const plainRemarks = [
  'larger than the buffer, so cut it first',
  'naive, but the list is short',
  'see section 4: "whole characters only"',
  'quadratic before, linear now',
  'a, then b, then c, never back',
  'counts bytes, not characters',
];

export const chinese = [
  '请先读取文件',
  '然后检查参数是否完整',
  '如果模型的输出在中途被截断',
  '就不要运行这个工具',
  '而是把错误告诉模型',
  '让它重新调用一次',
  '每一个字节只读一遍',
  '路径必须是相对路径',
];
