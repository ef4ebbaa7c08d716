import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type LogLevel, ReinsError } from '../contract/index.js';
import { createLog, defaultLogFile, type LogOptions, levelFor } from './log.js';
import { secretsFrom } from './redact.js';

const NOW = Date.UTC(2026, 0, 13, 9);

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'reins-log-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A log to "standard error", and what was written there. */
function memory(options: Partial<LogOptions> = {}) {
  const written: string[] = [];
  const log = createLog({
    file: '-',
    level: 'trace',
    format: 'json',
    now: () => NOW,
    writeStderr: (text) => void written.push(text),
    ...options,
  });
  return { log, written, last: () => JSON.parse(written.at(-1)!) as Record<string, unknown> };
}

function toFile(file: string, options: Partial<LogOptions> = {}) {
  const { log, written } = memory({ file, ...options });
  onTestFinished(() => log.close());
  return { log, stderr: written };
}

describe('lines', () => {
  test('JSON: level, time, room, session, message, then the facts', () => {
    const { log, written } = memory({ session: 'k7f2m9qd' });
    log.room('host').log('info', 'started', { code: 'X', pid: 17 });
    expect(written).toEqual([
      '{"level":"info","time":"2026-01-13T09:00:00.000Z","room":"host","session":"k7f2m9qd","msg":"started","code":"X","pid":17}\n',
    ]);
  });

  test('text: one line whatever is in it, nothing a terminal would obey', () => {
    const { log, written } = memory({ format: 'text' });
    log.room('host').log('warn', 'a\nb\u001b[2J', { file: '/x', said: 'two words\n', n: 1, gone: undefined });
    expect(written).toEqual([
      '2026-01-13T09:00:00.000Z WARN  host - a\\u000ab\\u001b[2J file=/x said="two words\\n" n=1 gone=undefined\n',
    ]);
  });

  test('facts never pass for the line’s own words', () => {
    const { log, last } = memory({ session: 's' });
    log.log('info', 'real', { level: 'error', time: 0, msg: 'fake', room: 'fake', session: 'fake' });
    expect(last()).toEqual({ level: 'info', time: '2026-01-13T09:00:00.000Z', session: 's', msg: 'real' });
  });

  test.each<[LogLevel, LogLevel[]]>([
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['trace', ['error', 'warn', 'info', 'debug', 'trace']],
  ])('at level %s: %j', (level, expected) => {
    const { log, written } = memory({ level });
    for (const each of ['error', 'warn', 'info', 'debug', 'trace'] as const) log.log(each, each);
    expect(written.map((line) => JSON.parse(line).msg)).toEqual(expected);
  });

  test.each([
    [0, 'warn'],
    [1, 'info'],
    [2, 'info'],
    [3, 'debug'],
    [4, 'trace'],
    [9, 'trace'],
  ])('-v given %i times is %s', (count, level) => expect(levelFor(count)).toBe(level));

  test('anything can be logged: every line is one line, bounded, and JSON', () => {
    const { log, written } = memory();
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const throwing = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    for (const value of [
      circle,
      throwing,
      1n,
      Number.NaN,
      () => 1,
      Symbol('s'),
      new Error('why'),
      new Date(Number.NaN),
      'x'.repeat(1e6),
    ]) {
      log.log('info', 'm', { value });
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.object({ withBigInt: true, withDate: true }), (msg, facts) => {
        log.log('info', msg, facts);
      }),
      { numRuns: 200 },
    );
    log.log('info', 'long', Object.fromEntries(Array.from({ length: 49 }, (_, i) => [`k${i}`, 'y'.repeat(1000)])));
    expect(JSON.parse(written.at(-1)!)).toMatchObject({ msg: 'long', truncated: true });
    expect(written).toHaveLength(210);
    for (const line of written) {
      expect(line.length).toBeLessThan(20_000);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(JSON.parse(line)).toHaveProperty('msg');
    }
    expect(written[6]).toContain('why');
  });
});

describe('secrets', () => {
  // Put together here, so that no scanner takes this file for a leak.
  const SECRETS = {
    anthropic: `sk-${'ant-api03-'}${'aB3'.repeat(10)}`,
    openai: `sk-${'proj-'}${'x9Y'.repeat(12)}`,
    aws: `AKIA${'IOSFODNN7EXAMPLE'}`,
    github: `ghp_${'a1B2'.repeat(9)}`,
    pat: `github_pat_${'a1B2'.repeat(9)}`,
    slack: `xoxb-${'123456789012'}-abcdef`,
    google: `AIza${'SyA1b2C3'.repeat(4)}`,
    jwt: `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJzdWIiOiIxIn0.c2lnbmF0dXJl`,
  };

  test.each(Object.entries(SECRETS))('%s is recognised wherever it stands', (_, secret) => {
    const { log, written } = memory();
    log.log('error', `failed with ${secret}, sorry`, { args: ['--k', secret], deep: { er: { text: `a=${secret}` } } });
    log.log('error', 'as a key', { [secret]: 1 });
    expect(written.join('')).not.toContain(secret);
    expect(written[0]).toContain('failed with [redacted], sorry');
  });

  test.each([
    ['authorization: Bearer abcdef123456', 'abcdef123456'],
    ['https://user:hunter2hunter@host/x', 'hunter2hunter'],
    ['GEMINI_API_KEY=qwertyuiop next', 'qwertyuiop'],
    ['{"password": "correct horse"}', 'correct'],
    [`-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----`, 'MIIEow'],
    ['-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF0a\n-----END PGP PRIVATE KEY BLOCK-----', 'lQOYBF0a'],
    ['---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/56wAA\n---- END SSH2 ENCRYPTED PRIVATE KEY ----', 'P2/56wAA'],
    ['PuTTY-User-Key-File-3\nPrivate-Lines: 2\nAAAAgQDx\nBBBBgQDy\nPrivate-MAC: x', 'BBBBgQDy'],
    [`echo ${Buffer.from('-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb').toString('base64')}`, 'T1BFTlNTSCBQUklWQVRF'],
    ['psql postgres://u:hun/ter2x@db/x', 'ter2x'],
    ['git clone https://0123456789abcdef@host/x', '0123456789abcdef'],
    ['curl -u admin:s3cretPass https://x', 's3cretPass'],
    ['smbclient -U ann%s3cretPass //x/y', 's3cretPass'],
    ['mysql -h db -pTopSecret11 shop', 'TopSecret11'],
    ['sshpass -p hunter2xyz ssh a', 'hunter2xyz'],
    ['redis-cli -h x -a hunter2xyz get y', 'hunter2xyz'],
    ['docker login -u me -p hunter2xyz reg', 'hunter2xyz'],
    ['openssl rsa -passin pass:hunter2xyz', 'hunter2xyz'],
    ['export DB_PASS=hunter2xyz MYSQL_PWD=abcdefgh99', 'hunter2xyz'],
    ['export DB_PASS=hunter2xyz MYSQL_PWD=abcdefgh99', 'abcdefgh99'],
    ['Server=x;Pwd=hunter2222;', 'hunter2222'],
    ['dbPass=hunter2xyz', 'hunter2xyz'],
    ["passphrase='correct horse battery'", 'battery'],
    ['{"a": "{\\"password\\": \\"correct horse\\"}"}', 'horse'],
    ['Passwort: geheim12345', 'geheim12345'],
    ['Authorization: Token abcdef0123', 'abcdef0123'],
    ['Cookie: sid=abcdef0123; other=xyzxyz', 'xyzxyz'],
    ['https://x/y?X-Amz-Signature=abcdef0123&z=1', 'abcdef0123'],
    [`https://hooks.slack.${'com/services/T0/B0/XXXXXXXXXX'}`, 'XXXXXXXXXX'],
    [`SG.${'a1B2'.repeat(5)}.${'a1B2'.repeat(9)}`, 'a1B2'],
    [`whsec_${'a1B2'.repeat(5)}`, 'a1B2'],
  ])('in %j', (text, secret) => {
    const { log, written } = memory();
    log.log('info', text);
    expect(written[0]).not.toContain(secret);
  });

  test.each([
    'cd /srv && PWD=/srv/shop make; OLDPWD=~/x',
    'bypass=everything, spin=quickly, compass=northward',
    'Auth: OAuth2 with PKCE. All tests pass: good. Cookie: how long does it live?',
    'docker run -u 1000:1000 image; https://example.com:443/@scope/name; git@github.com:a/b',
    'mysql -h db -P 3306 shop',
  ])('%j stays as it is', (text) => {
    const { log, last } = memory();
    log.log('info', text);
    expect(last().msg).toBe(text);
  });

  test('a key that was cut into lines is hidden in all of them', () => {
    const { log, last } = memory();
    log.log('info', 'm', {
      lines: ['-----BEGIN OPENSSH PRIVATE KEY-----', 'b3BlbnNzaC1rZXk', '-----END'],
      other: ['b3'],
    });
    expect(last()).toMatchObject({ lines: Array(3).fill('[redacted]'), other: ['b3'] });
  });

  test('by the name of the key; numbers and plain keys are facts', () => {
    const { log, last } = memory();
    log.log('info', 'm', {
      apiKey: 'a',
      api_key: 'b',
      hookSecret: { x: 1 },
      Authorization: 'c',
      cookie: ['d'],
      token: 'e',
    });
    expect(Object.values(last()).slice(3)).toEqual(Array(6).fill('[redacted]'));
    log.log('info', 'm', { dbPass: 'a', DB_PWD: 'b', pwd: 'c', auth: 'd', connectionString: 'e', pin: 'f' });
    expect(Object.values(last()).slice(3)).toEqual(Array(6).fill('[redacted]'));
    log.log('info', 'm', { pwd: '/srv/shop', bypass: 'all', author: 'ann' });
    expect(last()).toMatchObject({ pwd: '/srv/shop', bypass: 'all', author: 'ann' });
    log.log('info', 'm', { inputTokens: 5, max_token: 7, key: 'Enter', session: 'x' });
    expect(last()).toMatchObject({ inputTokens: 5, max_token: 7, key: 'Enter', session: 'x' });
  });

  test('by value: what the environment calls a secret', () => {
    const env = {
      MY_TOKEN: 'plain-looking-words',
      DB_PASSWORD: 'tr0ub4dor',
      PATH: '/usr/bin:/bin',
      A_KEY: 'short',
      NO_SECRET: undefined,
    };
    expect(secretsFrom(env)).toEqual(['plain-looking-words', 'tr0ub4dor']);
    const { log, written } = memory({ secrets: secretsFrom(env) });
    log.log('info', 'used plain-looking-words', { why: ['xtr0ub4dory', '/usr/bin:/bin', 'short'] });
    expect(written[0]).toContain('"msg":"used [redacted]","why":["x[redacted]y","/usr/bin:/bin","short"]');
  });
});

describe('the file', () => {
  test('is made private, and only ever appended to', () => {
    const file = join(folder(), 'x.log');
    toFile(file).log.log('info', 'one');
    toFile(file).log.log('info', 'two');
    expect(
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line && JSON.parse(line).msg),
    ).toEqual(['one', 'two', '']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('that cannot be opened is an error, not silence', () => {
    const dir = folder();
    writeFileSync(join(dir, 'plain'), '');
    mkdirSync(join(dir, 'dir'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(dir, 'fifo')]);
    for (const file of [
      join(dir, 'plain/x.log'),
      join(dir, 'none/x.log'),
      '/proc/none/x/y.log',
      join(dir, 'dir'),
      join(dir, 'fifo'),
      '',
      'a\0b',
    ]) {
      let thrown: unknown;
      try {
        memory({ file });
      } catch (error) {
        thrown = error;
      }
      expect(thrown, file).toBeInstanceOf(ReinsError);
      expect(thrown).toMatchObject({ code: 'LOG_UNOPENABLE', exit: 2 });
    }
  });

  test('is bounded: one older file is kept, no line is lost between the two', () => {
    const file = join(folder(), 'x.log');
    const { log } = toFile(file, { largest: 1000 });
    for (let i = 0; i < 30; i++) log.log('info', `line ${i}`);
    const messages = [`${file}.1`, file].flatMap((name) => {
      expect(statSync(name).size).toBeLessThanOrEqual(1000);
      expect(statSync(name).mode & 0o777).toBe(0o600);
      return readFileSync(name, 'utf8')
        .trim()
        .split('\n')
        .map((line) => Number(JSON.parse(line).msg.slice(5)));
    });
    expect(messages.at(-1)).toBe(29);
    expect(messages).toEqual(messages.map((_, index) => messages[0]! + index));
  });

  test('a file that was too large already is put aside at the first line', () => {
    const file = join(folder(), 'x.log');
    writeFileSync(file, 'y'.repeat(2000));
    toFile(file, { largest: 1000 }).log.log('info', 'new');
    expect(statSync(`${file}.1`).size).toBe(2000);
    expect(JSON.parse(readFileSync(file, 'utf8')).msg).toBe('new');
  });

  test('a disk that is full is told once, and nothing is thrown', () => {
    const { log, stderr } = toFile('/dev/full');
    log.log('error', 'one');
    log.log('error', 'two');
    expect(stderr).toHaveLength(1);
    expect(stderr[0]).toMatch(/^reins: the log file \/dev\/full cannot be written any more: ENOSPC/);
  });

  test('closing twice is fine, and what comes after is dropped', () => {
    const file = join(folder(), 'x.log');
    const { log, stderr } = toFile(file);
    log.close();
    log.close();
    log.room('late').log('error', 'too late');
    expect(readFileSync(file, 'utf8')).toBe('');
    expect(stderr).toEqual([]);
  });

  test.each([
    [{ XDG_STATE_HOME: '/s', HOME: '/h' }, 'run', '/s/reins/logs/run.log'],
    [{ HOME: '/h' }, 'k7f2', '/h/.local/state/reins/logs/k7f2.log'],
    [{ XDG_STATE_HOME: 'relative', HOME: '/h' }, '../../etc/x', '/h/.local/state/reins/logs/--..-etc-x.log'],
    [{ HOME: '/h' }, '', '/h/.local/state/reins/logs/reins.log'],
  ])('its default place with %j and %j is %s', (env, name, file) => expect(defaultLogFile(env, name)).toBe(file));
});
