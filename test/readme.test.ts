/** What the documents promise: commands of the README's quick start really work, and what a document names is there. */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI } from './journeys/support/cli.js';
import { newWorld, type World } from './journeys/support/world.js';

const root = join(import.meta.dirname, '..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

/** Fences marked `sh` hold commands for this test; those that need a person or a real agent are marked `console`. */
const RUNNABLE = /-b practice|\breins exec\b|--version|\bpolicy explain\b/;
const INTERACTIVE = /\s(-i|--interactive|--tui|-d|--detach|attach)\b/;

function shellCommands(markdown: string): string[] {
  const fences = [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);
  return fences.flatMap((text) => text.split('\n')).filter((line) => line.trim() !== '');
}

/** A line as a user would type it, with the built program as `reins`, without a terminal. */
function type(world: World, line: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const reins = join(world.bin, 'reins');
  writeFileSync(reins, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(reins, 0o755);
  const PATH = [world.env.PATH, process.env.PATH].join(delimiter);
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', line], {
      cwd: world.project,
      env: { ...world.env, PATH },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

describe('the quick start', () => {
  const commands = shellCommands(read('README.md'));

  it('shows commands that can be tried at once', () => {
    const kinds = [/-b practice/, /\breins exec\b/, /\bpolicy explain\b/, /--version/];
    for (const kind of kinds) expect(commands.some((line) => kind.test(line))).toBe(true);
    expect(commands.filter((line) => !RUNNABLE.test(line) || INTERACTIVE.test(line))).toEqual([]);
  });

  it.each(commands)('%s', async (line) => {
    const { code, stdout, stderr } = await type(newWorld(), line);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toBe('');
  });
});

describe('the documents', () => {
  const decisions = readdirSync(join(root, 'docs', 'decisions')).map((name) => `docs/decisions/${name}`);
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const names = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...docs.map((name) => `docs/${name}`), ...decisions];

  it.each(names)('%s leads nowhere that is not there', (name) => {
    const text = read(name);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)].map((match) =>
      join(dirname(name), match[1]!),
    );
    const files = [...text.matchAll(/`((?:src|test|docs|scripts)\/[\w./-]+)`/g)].map((match) => match[1]!);
    expect([...links, ...files].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it.each(decisions)('%s has its four parts', (name) => {
    const parts = [...read(name).matchAll(/^## (.+)$/gm)].map((match) => match[1]);
    expect(parts).toEqual(['Summary', 'Context', 'Decision', 'Consequences']);
  });

  it('name every command', async () => {
    const help = await type(newWorld(), 'reins --help');
    const commands = [...help.stdout.matchAll(/^ {2}([a-z]+)(?: [[A-Z]| {2,})/gm)].map((match) => match[1]!);
    expect(commands.length).toBeGreaterThan(15);
    const table = read('README.md');
    expect(commands.filter((name) => name !== 'help' && !table.includes(`\`reins ${name}`))).toEqual([]);
  });

  it('say nothing of the machine they were made on', () => {
    expect(names.filter((name) => /\/(w[o]rk|f[a]rm)\/[a-z.]/.test(read(name)))).toEqual([]);
  });
});
