/**
 * N1: `npm ci` works on every machine a newcomer may have. A lock file made where some platforms' packages could not be had
 * lacks them, and `npm ci` refuses it everywhere: so each package's platform variants must stand in it, whole.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Locked {
  version?: string;
  integrity?: string;
  resolved?: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

/** As Node looks for it: beside the package that names it, then in each folder above. */
function locked(from: string, name: string): Locked | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    const found = packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`];
    if (found || at === '') return found;
  }
}

const fits = (list: string[] | undefined, value: string) => list === undefined || list.includes(value);

describe('N1: the lock file', () => {
  const families = Object.entries(packages).filter(([, { optionalDependencies }]) => optionalDependencies);

  it('holds every platform variant of every package, with its digest', () => {
    expect(families.length).toBeGreaterThan(3);
    const missing = families.flatMap(([from, { optionalDependencies }]) =>
      Object.keys(optionalDependencies!).filter((name) => {
        const found = locked(from, name);
        return !found?.version || !found.integrity;
      }),
    );
    expect(missing).toEqual([]);
  });

  it.each([
    ['linux', 'x64', 'glibc'],
    ['linux', 'arm64', 'glibc'],
    ['linux', 'x64', 'musl'],
    ['linux', 'arm64', 'musl'],
    ['darwin', 'arm64', ''],
    ['darwin', 'x64', ''],
  ])('has what biome, rolldown and oxc-parser need on %s %s %s', (os, cpu, libc) => {
    for (const name of ['@biomejs/biome', 'rolldown', 'oxc-parser']) {
      const from = `node_modules/${name}`;
      const variants = Object.keys(packages[from]?.optionalDependencies ?? {}).flatMap((one) => {
        const found = locked(from, one);
        return found && fits(found.os, os) && fits(found.cpu, cpu) ? [{ one, found }] : [];
      });
      const here = variants.filter(({ one, found }) =>
        libc === '' ? true : found.libc ? found.libc.includes(libc) : one.includes('musl') === (libc === 'musl'),
      );
      expect(
        here.map(({ one }) => one),
        `${name} on ${os} ${cpu} ${libc}`,
      ).not.toEqual([]);
    }
  });

  it('names no registry', () => {
    expect(Object.values(packages).filter(({ resolved }) => resolved?.startsWith('http'))).toEqual([]);
  });
});
