// The articles that argspan comes from: their examples as far as they concern parsing, and a test
// for each line of their checklists that the core can hold. (Schemas, retries and approval are what
// `argspan/gate` is about.)

import { describe, expect, it } from 'vitest';

import { createScanner, parse, parseToolArguments } from '../src/index.js';
import type { Outcome } from '../src/index.js';
import { feedAll } from './support/drive.js';

function reported(outcome: Outcome): Outcome & { status: 'reported' } {
  expect(outcome.status).toBe('reported');
  expect(outcome).not.toHaveProperty('value');
  return outcome as Outcome & { status: 'reported' };
}

const read = { path: 'src/main.rs' };

describe('when small models break tool-call JSON', () => {
  it('the arguments of a call that is as it should be', () => {
    const call = {
      type: 'function',
      function: { name: 'read', arguments: '{"path": "src/main.rs"}' },
    };
    expect(parseToolArguments(call.function.name, call.function.arguments)).toEqual({
      status: 'accepted',
      name: 'read',
      value: read,
      text: '{"path": "src/main.rs"}',
      repair: 'none',
      span: { start: 0, end: 23 },
    });
  });

  it.each([
    ['Markdown fences', '```json {"path": "src/main.rs"} ```', 'fence'],
    ['Markdown fences, on lines of their own', '```json\n{"path": "src/main.rs"}\n```', 'fence'],
    ['prose around the object', 'Let me read the file: {"path": "src/main.rs"}.', 'prose'],
    ['double encoding', '"{\\"path\\": \\"src/main.rs\\"}"', 'double-encoding'],
  ])('%s: the intent is all there', (_, text, repair) => {
    expect(parseToolArguments('read', text)).toMatchObject({
      status: 'accepted',
      value: read,
      text: '{"path": "src/main.rs"}',
      repair,
    });
    expect(parse(text)).toEqual(read);
  });

  it('truncation: what the model gets back, word for word', () => {
    const outcome = reported(parseToolArguments('read', '{"path": "src/main.rs'));
    expect(outcome.kind).toBe('truncated');
    expect(outcome.message).toBe(
      'The arguments for `read` were not valid JSON (EOF while parsing a string at line 1 column 21). ' +
        'Received: {"path": "src/main.rs\n' +
        'Call `read` again with a single JSON object that matches its parameters.',
    );
  });

  it.each([
    ['an unquoted string', '{"path": src/main.rs}', 'expected value at line 1 column 10'],
    ['single quotes', "{'path': 'src/main.rs'}", 'key must be a string at line 1 column 2'],
    ['a trailing comma', '{"path": "src/main.rs",}', 'trailing comma at line 1 column 24'],
  ])('not JSON at all: %s', (_, text, reason) => {
    expect(reported(parseToolArguments('read', text))).toMatchObject({ kind: 'malformed', reason });
  });

  it('the worst fix, to pretend that it was empty, never happens', () => {
    for (const text of ['{', '{"path"', '{}}', '[{}', 'null', '""', '"{"', '```json\n```', '()']) {
      const outcome = parseToolArguments('read', text);
      if (outcome.status === 'accepted') {
        // There is an object in it, and it is what stands there.
        expect(outcome.text).toBe('{}');
        expect(text).toContain('{}');
      } else {
        expect(outcome.message).toContain(text);
      }
    }
  });

  it('a repair only accepts what is a JSON object', () => {
    for (const inner of ['[1]', '"x"', '12', 'null', '{', '{"a":1}x']) {
      reported(parseToolArguments('read', JSON.stringify(inner)));
      reported(parseToolArguments('read', `\`\`\`json\n${inner.replace('}x', 'x')}\n\`\`\``));
    }
  });

  it('the echo is capped at 500 characters, so that a cut write does not flood the context', () => {
    const text = `{"path": "a.txt", "content": "${'line of text\\n'.repeat(1600)}`;
    const outcome = reported(parseToolArguments('write', text));
    expect(text.length).toBeGreaterThan(20_000);
    expect(outcome.message).toContain(`Received: ${text.slice(0, 500)}…\n`);
    expect(outcome.message.length).toBeLessThan(750);
  });

  it('the error names the tool: the model may have made several calls in the same turn', () => {
    const { message } = reported(parseToolArguments('edit_file', '{'));
    expect(message.match(/`edit_file`/g)).toHaveLength(2);
  });

  describe('if you are building on small models', () => {
    it('never swallow a parse error', () => {
      expect(() => parse('{"path": "src/main.rs')).toThrow(SyntaxError);
      expect(reported(parseToolArguments('read', '{"path": ')).error).not.toBeNull();
    });

    it('repair only what is unambiguous', () => {
      for (const text of [
        '{"path": "a"}{"path": "b"}',
        'either {"path": "a"} or {"path": "b"}',
        '{"path": "a"',
        '{"path": "a"]',
        '{path: "a"}',
        "{'path': 'a'}",
        '{"path": "a" "b"}',
        '{"path": tru}',
        '{"path": "a",}',
        '// which file?\n{"path": "a" /* this one */}',
      ]) {
        reported(parseToolArguments('read', text));
      }
    });

    it('quote the input back', () => {
      const text = '{"path": src/main.rs}';
      expect(reported(parseToolArguments('read', text)).message).toContain(`Received: ${text}\n`);
    });

    it('test the sad path: a cut-off call is streamed, the model gets the error, nothing runs', () => {
      const scanner = createScanner();
      const verdicts = ['{"pa', 'th": ', '"src/', 'main.rs'].map((fragment) => {
        scanner.feed(fragment);
        return scanner.verdict;
      });
      expect(verdicts).toEqual(Array.from({ length: 4 }, () => 'incomplete'));
      const outcome = reported(scanner.finish('read', 'length'));
      expect(outcome.message).toBe(
        'The arguments for `read` were not valid JSON (EOF while parsing a string at line 1 column 21). ' +
          'Received: {"path": "src/main.rs\n' +
          'Call `read` again with a single JSON object that matches its parameters.\n' +
          'Nothing was run. Make a smaller call that fits the limit.',
      );
    });
  });
});

describe('the layers of tool-calling failure of local models', () => {
  const weather = { tool: 'get_weather', arguments: { location: 'Boston' } };

  it.each([
    ['as printed, without its closing fence', ''],
    ['with a closing fence', '\n```'],
    ['with a closing fence and more to say', '\n```\n\nShall I go on?'],
  ])('the JSON smuggler, %s', (_, end) => {
    const object = '{"tool": "get_weather", "arguments": {"location": "Boston"}}';
    const text = `Here's the tool call:\n\n\`\`\`json\n${object}\n${end}`;
    expect(parseToolArguments('call', text)).toMatchObject({ value: weather, repair: 'prose' });
  });

  it('the smuggler who says nothing else', () => {
    for (const info of ['', 'json', 'JSON', 'json5 ']) {
      const text = `\`\`\`${info}\n{"tool": "get_weather", "arguments": {"location": "Boston"}}\n\`\`\``;
      expect(parseToolArguments('call', text)).toMatchObject({ value: weather, repair: 'fence' });
    }
  });

  it('fences in a value are the value', () => {
    const text = JSON.stringify({ body: '```json\n{"a":1}\n```' });
    expect(parseToolArguments('write', text)).toMatchObject({ text, repair: 'none' });
    expect(parseToolArguments('write', `\`\`\`\n${text}\n\`\`\``)).toMatchObject({
      text,
      repair: 'fence',
    });
  });

  it('the thinking token polluter: valid JSON is accepted as it is', () => {
    const text =
      '{"tool": "get_weather", "arguments": {"location": "Let me think about this... Boston has weather..."}}';
    expect(parseToolArguments('call', text)).toMatchObject({ text, repair: 'none' });
    expect(parseToolArguments('call', `<think>Boston?</think>\n${text}`)).toMatchObject({
      text,
      repair: 'prose',
    });
    // Braces in the thoughts leave no single reading.
    reported(parseToolArguments('call', `<think>{maybe}</think>\n${text}`));
  });

  it('the schema guesser: the wrong field is there for a validator to see', () => {
    expect(
      parseToolArguments('get_weather', '{"location": "Boston", "type": "celsius"}'),
    ).toMatchObject({
      value: { location: 'Boston', type: 'celsius' },
    });
  });

  it('the non-decider', () => {
    const text =
      "I don't have access to real-time weather data, but I can tell you that Boston in March is typically...";
    expect(reported(parseToolArguments('get_weather', text)).kind).toBe('malformed');
    expect(reported(parseToolArguments('get_weather', JSON.stringify(text))).kind).toBe(
      'not-object',
    );
  });

  it('JSON from anywhere in the response: between the first brace and the last', () => {
    expect(parse('a [1] "b" {"c": {"d": "}"}} e ] f')).toEqual({ c: { d: '}' } });
  });
});

describe('arguments that arrive as a JSON string, not an object', () => {
  it('the same arguments in every shape that backends send', () => {
    const value = { city: 'Paris', days: [1, 2] };
    const text = JSON.stringify(value);
    for (const raw of [
      text,
      Buffer.from(text),
      new Uint8Array(Buffer.from(text)),
      value,
      new Map(Object.entries(value)),
    ]) {
      expect(parseToolArguments('weather', raw)).toMatchObject({ status: 'accepted', value, text });
    }
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty string', ''],
    ['blank', ' \n\t'],
  ])('empty means empty object: %s', (_, raw) => {
    expect(parseToolArguments('now', raw)).toMatchObject({
      value: {},
      text: '{}',
      repair: 'empty',
    });
  });

  it('objects pass through, copied: downstream code mutates no shared reference', () => {
    const raw = { list: [1], nested: { a: 1 } };
    const { value } = parseToolArguments('tool', raw) as Outcome & { status: 'accepted' };
    (value['list'] as number[]).push(2);
    (value['nested'] as { a: number }).a = 2;
    expect(raw).toEqual({ list: [1], nested: { a: 1 } });
  });

  it('bytes are decoded strictly', () => {
    const bytes = Buffer.from('{"a":"é"}', 'latin1');
    expect(reported(parseToolArguments('tool', bytes)).kind).toBe('invalid-utf8');
    expect(() => parse(bytes)).toThrow('invalid sequence at byte 6');
  });

  it('strings are parsed once, and the string in a string, which is unambiguous', () => {
    const once = JSON.stringify({ a: 1 });
    const twice = JSON.stringify(once);
    expect(parseToolArguments('tool', once)).toMatchObject({ repair: 'none' });
    expect(parseToolArguments('tool', twice)).toMatchObject({ repair: 'double-encoding' });
    reported(parseToolArguments('tool', JSON.stringify(twice)));
  });

  it('non-objects are rejected: a bare array or scalar is no payload', () => {
    for (const text of ['[1]', '"text"', '1', 'true', 'null']) {
      expect(reported(parseToolArguments('tool', text)).kind).toBe('not-object');
    }
    expect(reported(parseToolArguments('tool', 5)).message).toContain('(got a number)');
    expect(reported(parseToolArguments('tool', ['{}'])).message).toContain('(got an array)');
  });

  it('parse errors are told apart: what was cut off, what is malformed, what has the wrong shape', () => {
    const kinds = ['{"a":', '{"a":x}', '[1]', Buffer.of(0xff)].map(
      (raw) => reported(parseToolArguments('tool', raw)).kind,
    );
    expect(kinds).toEqual(['truncated', 'malformed', 'not-object', 'invalid-utf8']);
  });

  describe('its checklist', () => {
    it('normalize arguments before any business logic runs: one shape comes out', () => {
      for (const raw of ['{"a":1}', { a: 1 }, Buffer.from('{"a":1}'), '"{\\"a\\":1}"']) {
        const outcome = parseToolArguments('tool', raw) as { value: unknown };
        expect(outcome.value).toStrictEqual({ a: 1 });
      }
    });

    it('treat empty or missing payloads as {}', () => {
      expect(
        [undefined, null, '', new Uint8Array(0)].map((raw) => parseToolArguments('t', raw)),
      ).toEqual(Array.from({ length: 4 }, () => parseToolArguments('t', '')));
    });

    it('parse strings exactly once; surface parse failures', () => {
      expect(reported(parseToolArguments('tool', '{"a":1')).reason).toBe(
        'EOF while parsing an object at line 1 column 6',
      );
    });

    it('buffer streamed fragments and validate only when complete, by call and not by arrival', () => {
      const calls = new Map([
        [0, createScanner()],
        [1, createScanner()],
      ]);
      const deltas = [
        [0, '{"city": '],
        [1, '{"ci'],
        [0, '"Par'],
        [1, 'ty": "Rome"}'],
        [0, 'is"}'],
      ] as const;
      for (const [index, delta] of deltas) {
        calls.get(index)!.feed(delta);
      }
      const outcomes = [...calls.values()].map((scanner) => scanner.finish('weather'));
      expect(outcomes).toMatchObject([{ value: { city: 'Paris' } }, { value: { city: 'Rome' } }]);
      // Streaming and whole text converge.
      expect(outcomes[0]).toEqual(parseToolArguments('weather', '{"city": "Paris"}'));
    });

    it('log raw and normalized values: where the object stood, and how it was found', () => {
      const raw = 'Sure! {"a": 1}';
      const outcome = parseToolArguments('tool', raw) as Outcome & { status: 'accepted' };
      expect(raw.slice(outcome.span.start, outcome.span.end)).toBe(outcome.text);
      expect(feedAll([raw]).finishCheck()).toMatchObject({
        repair: outcome.repair,
        span: outcome.span,
      });
    });
  });
});
