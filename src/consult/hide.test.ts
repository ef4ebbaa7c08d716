import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { envFileSecrets, hider, secretValue } from './hide.js';
import { namedFiles, neverShown } from './shown.js';

describe('C24: secrets', () => {
  test('C24: a known value is hidden wherever it stands, also as JSON, in a URL, in base64 and in hex', () => {
    const value = fc
      .string({ unit: 'grapheme', minLength: 8, maxLength: 60 })
      .filter((text) => text.trim().length >= 8);
    fc.assert(
      fc.property(value, fc.string({ maxLength: 30 }), (secret, around) => {
        const hide = hider([secret]);
        const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
        const packed = (['base64', 'base64url', 'hex'] as const).map((as) => Buffer.from(secret).toString(as));
        for (const form of [...forms, ...packed])
          expect(hide(`${around} ${form} ${around}`).replaceAll(around, '')).not.toContain(form);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['a key by its look', 'use sk-ant-REDACTED now', 'use [redacted] now'],
    ['a password in a URL', 'at postgres://me:hunter22@db/x', 'at postgres://me:[redacted]@db/x'],
    ['a header', 'Authorization: Bearer abcdefgh12345678', 'Authorization: Bearer [redacted]'],
  ])('C24: %s', (_, text, clean) => expect(hider([])(text)).toBe(clean));

  test('C24: a secret that is a word is hidden where it stands alone', () => {
    expect(hider(['swordfish'])('swordfish, Swordfish, swordfishes, my_swordfish')).toBe(
      '[redacted], Swordfish, swordfishes, my_[redacted]',
    );
  });

  test('C24: of several lines, each is hidden', () => {
    const hide = hider(['-begin-abcdefgh\nabcdefghijkl1234\nmnopqrstuvwx5678']);
    expect(hide('x\r\n  abcdefghijkl1234\r\n  mnopqrstuvwx5678')).toBe('x\r\n  [redacted]\r\n  [redacted]');
  });

  test('C24: variables whose names say so, and not what everybody may see', () => {
    const secret = Object.entries({
      GITHUB_TOKEN: 'abcdef',
      MY_PASS: 'hunter22',
      DATABASE_DSN: 'a:b@c/dd',
      PASSWORD: 'short',
      PWD: '/home/me/shop',
      SSH_AUTH_SOCK: '/tmp/agent.1',
      EDITOR: 'vim-is-an-editor',
      POSTGRES_PASSWORD: 'postgres',
      KEY_FILE: '/etc/key.pem',
    }).flatMap(([name, value]) => (secretValue(name, value) === undefined ? [] : [name]));
    expect(secret).toEqual(['GITHUB_TOKEN', 'MY_PASS', 'DATABASE_DSN']);
  });

  test('C24: what stands in an .env file, however it is written', () => {
    const text = [
      '# a remark',
      'PORT=3000',
      'NODE_ENV=production',
      'STRIPE=whsec_12345678',
      "export API_KEY='quoted#value'",
      'B="two\\nlines-of-it"',
      '  PASS = spaced-out # remark',
      'C="a\nmulti-line-value"',
      'URL=postgres://u:pw%40123@h/d',
      'broken',
    ].join('\r\n');
    expect([...new Set(envFileSecrets(text))]).toEqual([
      'whsec_12345678',
      'quoted#value',
      'two\\nlines-of-it',
      'two\nlines-of-it',
      'spaced-out # remark',
      'spaced-out',
      'a\nmulti-line-value',
      'postgres://u:pw%40123@h/d',
    ]);
    const hide = hider(envFileSecrets(text));
    expect(hide('the password is pw@123, or pw%40123; port 3000 in production')).toBe(
      'the password is [redacted], or [redacted]; port 3000 in production',
    );
  });

  test.each([
    ...[
      '.env',
      '.env.local',
      '.ENV',
      'prod.env',
      'a/.env/b',
      '.git/config',
      'sub/.Git/HEAD',
      '.ssh/id',
      'id_rsa',
      'id_ed25519.pub',
    ],
    ...[
      'server.pem',
      'tls.KEY',
      'key.p12',
      'credentials',
      'credentials.json',
      'secrets.yaml',
      'my-secret.json',
      '.npmrc',
      '.netrc',
    ],
    ...['.reins/decisions.jsonl', 'infra/terraform.tfstate', 'x.kdbx', '．env', 'C\\.env'],
  ])('C24: %s is never shown', (path) => expect(neverShown(path)).toBe('it may hold secrets'));

  test.each([
    'ROADMAP.md',
    'src/keyboard.ts',
    'docs/environment.md',
    '.github/workflows/ci.yml',
    'token-parser.ts',
    'src/monkey/a.ts',
  ])('%s may be shown', (path) => expect(neverShown(path)).toBeUndefined());
});

test('a text that was made to take long takes no longer than others: four times the text, four times the work', () => {
  const hide = hider([]);
  /** Processor time of the quickest of a few: how it grows is a property of the code, what it is one of the machine. */
  const cost = (length: number) => {
    const text = 'eyJaaaaaaaa-'.repeat(length).slice(0, length);
    const times = Array.from({ length: 4 }, () => {
      const before = process.cpuUsage();
      hide(text);
      return process.cpuUsage(before).user;
    });
    return Math.max(1000, Math.min(...times));
  };
  cost(16 * 1024);
  // Without a bound each beginning is followed to the end of the text, and it is sixteen times the work.
  expect(cost(64 * 1024) / cost(16 * 1024)).toBeLessThan(8);
});

test('files are found in what a question says', () => {
  const text =
    'Shall I follow docs/db.md (or `./schema.sql`), src/a-b/c_d.ts:12, "LICENSE", README.md. and/or e.g. 3.14, https://x.org/y.md, ../../etc/passwd?';
  expect(namedFiles(text)).toEqual(
    expect.arrayContaining(['docs/db.md', 'schema.sql', 'src/a-b/c_d.ts', 'LICENSE', 'README.md', '../../etc/passwd']),
  );
  expect(namedFiles(Array.from({ length: 1000 }, (_, n) => `f${n}.md`).join(' '))).toHaveLength(60);
});
