// A picture as text: elements, and a style that follows the reader's light or dark screen.

type Attributes = Readonly<Record<string, string | number>>;

function escapeText(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Two decimals are finer than any screen, and keep the differences between two runs small. */
function formatNumber(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 100) / 100) : escapeText(value);
}

export function element(name: string, attributes: Attributes, content = ''): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${formatNumber(value)}"`);
  const open = `<${name}${list.join('')}`;
  return content === '' ? `${open}/>` : `${open}>${content}</${name}>`;
}

export function text(x: number, y: number, content: string, attributes: Attributes = {}): string {
  return element('text', { x, y, ...attributes }, escapeText(content));
}

export function rect(x: number, y: number, width: number, height: number, kind: string): string {
  return element('rect', { x, y, width, height, rx: 2, class: kind });
}

export function line(x1: number, y1: number, x2: number, y2: number, kind: string): string {
  return element('line', { x1, y1, x2, y2, class: kind });
}

export function circle(cx: number, cy: number, r: number, kind: string): string {
  return element('circle', { cx, cy, r, class: kind });
}

const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 15px; }
  .note { fill: #57606a; font-size: 12px; }
  .end { text-anchor: end; }
  .middle { text-anchor: middle; }
  .grid { stroke: #d0d7de; }
  .own { fill: #0969da; }
  .rival { fill: #8c959f; }
  .stem { stroke: #8c959f; stroke-width: 2; }
  .stem-own { stroke: #0969da; stroke-width: 2; }
  .must { stroke: #cf222e; stroke-width: 2; }
  .aim { stroke: #1a7f37; stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .note { fill: #9198a1; }
    .grid { stroke: #3d444d; }
    .own { fill: #4493f8; }
    .rival { fill: #7d8590; }
    .stem { stroke: #7d8590; }
    .stem-own { stroke: #4493f8; }
    .must { stroke: #f85149; }
    .aim { stroke: #3fb950; }
  }
`;

/** A whole picture; its background is the page's. */
export function picture(width: number, height: number, title: string, content: string[]): string {
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
  };
  const lines = [element('title', {}, escapeText(title)), `<style>${style}</style>`, ...content];
  return `${element('svg', attributes, `\n${lines.join('\n')}\n`)}\n`;
}
