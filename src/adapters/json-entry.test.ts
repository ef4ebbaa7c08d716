import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withJsonEntry } from './json-entry.js';

const PATH = ['projects', '/w', 'ok'];

describe('one value in the text of a JSON file', () => {
  it.each([
    ['an empty file of JSON', '{}', '{"projects":{"/w":{"ok":true}}}'],
    ['a compact one', '{"a":1.50}', '{"a":1.50,"projects":{"/w":{"ok":true}}}'],
    [
      'an indented one',
      '{\n  "a": 1e3\n}\n',
      '{\n  "a": 1e3,\n  "projects": {\n    "/w": {\n      "ok": true\n    }\n  }\n}\n',
    ],
    [
      'another folder is there',
      '{\n  "projects": {\n    "/v": {}\n  },\n  "z": "\\u00e4"\n}',
      '{\n  "projects": {\n    "/v": {},\n    "/w": {\n      "ok": true\n    }\n  },\n  "z": "\\u00e4"\n}',
    ],
    [
      'an empty object inside, with CRLF and tabs',
      '{\r\n\t"projects": {}\r\n}',
      '{\r\n\t"projects": {\r\n\t\t"/w": {\r\n\t\t\t"ok": true\r\n\t\t}\r\n\t}\r\n}',
    ],
    [
      'false before',
      '{"projects":{"/w":{"ok" : false , "n":[1,{"}":"]"}]}}}',
      '{"projects":{"/w":{"ok" : true , "n":[1,{"}":"]"}]}}}',
    ],
    [
      'a key that stands twice: the last counts',
      '{"projects":1,"projects":{"/w":{"ok":0}}}',
      '{"projects":1,"projects":{"/w":{"ok":true}}}',
    ],
    ['an escaped key', '{"projects":{"\\/w":{"ok":null}}}', '{"projects":{"\\/w":{"ok":true}}}'],
  ])('%s', (_, before, after) => expect(withJsonEntry(before, PATH, true)).toBe(after));

  it('is not written twice', () => {
    const text = '{ "projects" : {"/w":{"ok":true}}}';
    expect(withJsonEntry(text, PATH, true)).toBe(text);
  });

  it.each(['', 'null', '[]', '{"a":1', '{"projects":[]}', '{"projects":{"/w":"yes"}}', '// a\n{}', '\ufeff{}'])(
    'a file that is not what it should be is left alone: %s',
    (text) => expect(withJsonEntry(text, PATH, true)).toBeUndefined(),
  );

  it('whatever the file holds: everything else stays, in its place and spelling', () => {
    const file = fc
      .tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, 2, '\t'), fc.string())
      .map(([value, space, key]) => ({ text: JSON.stringify({ [key]: value, q: '"{' }, null, space), key }));
    fc.assert(
      fc.property(file, ({ text, key }) => {
        fc.pre(key !== 'projects' && key !== '__proto__');
        const after = withJsonEntry(text, PATH, true)!;
        expect(JSON.parse(after)).toEqual({ ...JSON.parse(text), projects: { '/w': { ok: true } } });
        // What was put in is one piece: without it the text is the old one, byte by byte.
        let same = 0;
        while (text[same] === after[same]) same += 1;
        expect(after.endsWith(text.slice(same))).toBe(true);
      }),
    );
  });
});
