/** What a person reads first: help that names everything, and errors that point to the right page of it. */
import { describe, expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { newWorld } from './support/world.js';

/** Group → the commands below it, as `reins --help` prints them. */
function groups(help: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const block of help.split('\n\n')) {
    const [title = '', ...lines] = block.split('\n');
    if (title.endsWith(':')) found.set(title, [...lines.flatMap((line) => /^ {2}([a-z]+)\b/.exec(line)?.[1] ?? [])]);
  }
  return found;
}

const RUN_FLAGS =
  '-p, --prompt|-P, --prompt-file|-b, --backend|-i, --interactive|-a, --autonomous|--tui|--trust|--non-interactive|' +
  '--idle-timeout|--timeout|--once|--max-iterations|--max-runtime|--max-cost|--completion-promise|--continue|--name|' +
  '-d, --detach|-C, --cwd|-c, --config|--set|--format|-v, --verbose|-q, --quiet|--log-file|--log-format|--dry-run';

describe('help', () => {
  test('every command stands in a group, and no group is empty', async () => {
    const { code, stdout, stderr } = await reins(newWorld(), ['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const found = groups(stdout);
    expect(found.has('Commands:')).toBe(false);
    for (const title of ['Start:', 'Sessions:', 'What waits for you:', 'Hold and end:', 'The loop:', 'Set up:'])
      expect(found.get(title)?.length, title).toBeGreaterThan(1);
  });

  test('run --help names every flag of run, also those that all commands take', async () => {
    const { stdout } = await reins(newWorld(), ['run', '--help']);
    expect(RUN_FLAGS.split('|').filter((flag) => !stdout.includes(`  ${flag}`))).toEqual([]);
    expect(stdout).not.toContain('(default: [])');
    expect(stdout).not.toMatch(/--(no-)?pty|--observe/);
  });

  test.each([
    [['ls', '--jsno'], '(see `reins ls --help`)'],
    [['stop'], '(see `reins stop --help`)'],
    [['config', 'show', '--bogus'], '(see `reins config show --help`)'],
    [['policy', 'explain', 'Bash', '--trust', 'some'], '(see `reins policy explain --help`)'],
    [['frobnicate'], '(see `reins --help`)'],
  ])('%j is a usage error that points to its own page', async (args, hint) => {
    const ended = await reins(newWorld(), args);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(hint);
  });
});
