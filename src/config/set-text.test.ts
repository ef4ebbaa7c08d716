import { describe, expect, test } from 'vitest';
import { setInText } from './set-text.js';

const PATH = ['tools', 'AskUserQuestion', 'questions', 'database', 'answer'];
const set = (text: string) => setInText(text, { file: 'config.yml', path: PATH, value: ['SQLite'] });

describe('a value put into a config file', () => {
  test.each([
    ['', 'tools:\n  AskUserQuestion:\n    questions:\n      database:\n        answer:\n          - SQLite\n'],
    [
      '# mine\ntrust: guarded # so\ntools:\n  Bash: {detached: deny}\n',
      '# mine\ntrust: guarded # so\ntools:\n  Bash: {detached: deny}\n  AskUserQuestion:\n    questions:\n      database:\n        answer:\n          - SQLite\n',
    ],
    [
      'tools:\n  AskUserQuestion:\n    questions: {database: {answer: [PostgreSQL], exclusive: false}}\n',
      'tools:\n  AskUserQuestion:\n    questions: {database: {answer: [SQLite], exclusive: false}}\n',
    ],
  ])('%j', (before, after) => {
    expect(set(before).replaceAll(/\s+/g, ' ')).toBe(after.replaceAll(/\s+/g, ' '));
  });

  test.each(['- a list\n', 'tools: 3\n', 'tools:\n  AskUserQuestion: [x]\n', 'a: [\n', 'a: 1\na: 2\n'])(
    'not into %j',
    (text) => {
      expect(() => set(text)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );
});
