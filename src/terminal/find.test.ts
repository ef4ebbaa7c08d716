import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findExecutable } from './find.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'reins-find-'));
  for (const name of ['one', 'two', 'dir']) mkdirSync(join(dir, name));
});
afterEach(() => rmSync(dir, { recursive: true }));

const put = (path: string, text = '#!/bin/sh\n', mode = 0o755): string => {
  writeFileSync(join(dir, path), text, { mode });
  return join(dir, path);
};
const find = (command: string, path = `${dir}/one:${dir}/two`) => findExecutable(command, { cwd: dir, path });

it('takes the first on PATH, passing what cannot be run', () => {
  put('one/agent', '', 0o644);
  mkdirSync(join(dir, 'one', 'other'));
  const agent = put('two/agent');
  const other = put('two/other');
  expect(find('agent')).toEqual({ ok: true, path: agent });
  expect(find('other')).toEqual({ ok: true, path: other });
});

it('says why when the only one on PATH cannot be run', () => {
  put('one/agent', '', 0o644);
  expect(find('agent')).toMatchObject({ ok: false, why: 'not-executable' });
});

it('resolves paths and empty PATH parts from the given directory', () => {
  const here = put('agent');
  expect(find('./agent')).toEqual({ ok: true, path: here });
  expect(find('one/../agent')).toEqual({ ok: true, path: here });
  expect(find(here)).toEqual({ ok: true, path: here });
  expect(find('agent', `${dir}/one:`)).toEqual({ ok: true, path: here });
  expect(find('agent')).toMatchObject({ why: 'missing', reason: 'agent is not on PATH' });
});

it('follows links, and a broken or circular one is missing', () => {
  put('two/real');
  symlinkSync(join(dir, 'two/real'), join(dir, 'one/good'));
  symlinkSync(join(dir, 'nowhere'), join(dir, 'one/broken'));
  symlinkSync(join(dir, 'one/circle'), join(dir, 'one/circle'));
  expect(find('good')).toMatchObject({ ok: true });
  expect(find('broken')).toMatchObject({ why: 'missing' });
  expect(find('circle')).toMatchObject({ why: 'missing' });
});

it.each([
  ['#!/bin/sh -e\n', undefined],
  ['#! /bin/sh\n', undefined],
  ['#!/usr/bin/env sh\n', undefined],
  ['#!/usr/bin/env -S sh -e\n', undefined],
  ['no shebang at all\n', undefined],
  ['', undefined],
  ['#!/no/such\n', '/no/such'],
  ['#!/bin/sh\r\n', '/bin/sh\r'],
  ['#!\n', 'nothing'],
  ['#!/usr/bin/env no-such-runtime\n', 'no-such-runtime'],
  ['#!/usr/bin/env -S A=b no-such-runtime --x\n', 'no-such-runtime'],
])('script %j', (text, missing) => {
  put('one/agent', text);
  const found = find('agent', `${dir}/one:/usr/bin:/bin`);
  if (missing === undefined) expect(found).toMatchObject({ ok: true });
  else
    expect(found).toMatchObject({
      ok: false,
      why: 'bad-interpreter',
      reason: expect.stringContaining(`for ${missing},`),
    });
});

it.each(['', 'a\0b', 'none', './none', '/no/such/dir/x', '/etc/passwd/x'])('%j is missing', (command) => {
  expect(find(command)).toMatchObject({ ok: false, why: 'missing' });
});

it('a directory is no program', () => {
  expect(find('./dir')).toMatchObject({ ok: false, why: 'directory' });
});
