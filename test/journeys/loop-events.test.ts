/** Events out of assistant text and out of the agent's shell, and `.agent/events.jsonl`, from the outside. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fakeAgent } from './support/agents.js';
import { reins } from './support/cli.js';
import { all, entries, onlySession, sessions } from './support/journal.js';
import { agentLines, ofType, prompts, story, worker } from './support/loop.js';
import { newWorld } from './support/world.js';

describe('events in text', () => {
  test('only the assistant’s own words publish: no tool output, no echo of the prompt, no code', async () => {
    const world = newWorld();
    world.write('found.txt', '<event topic="from.tool">no</event>\nLOOP_COMPLETE\n');
    const words = [
      { say: '```\n<event topic="in.fence">no</event>\n```\nlike `<event topic="in.code">no</event>`' },
      { tool: 'Bash', input: { command: 'cat found.txt' } },
      { say: '{{prompt}}' },
      { say: `<event topic='single.quotes' note="x">yes &amp; more</event> <event topic="unterminated">never` },
      { say: '<event topic="outer">lost <event topic="inner">kept</event></event>\nnot yet LOOP_COMPLETE' },
    ];
    const ended = await reins(
      world,
      ['run', '-b', 'practice', '--trust', 'full', '--max-iterations', '1', '-p', 'look around'],
      { env: { PRACTICE_SCENARIO: JSON.stringify(words) } },
    );
    expect(ended.code).toBe(3);
    expect(story(world, await onlySession(world))).toMatchObject({
      events: ['1 text single.quotes yes & more', '1 text inner kept'],
      iterations: [{ completion: { claimed: false, reason: expect.stringContaining('not counted') } }],
    });
    expect(ended.stderr).toContain('not complete: seen in the last line together with other words: not counted');
  });

  test('the promise as an event is a claim', async () => {
    const world = newWorld();
    const run = worker(world, `say('<event topic="LOOP_COMPLETE">all good</event>\\nbye'); done();`);
    expect(await reins(world, [...run, '-p', 'go'])).toMatchObject({ code: 0 });
    const [end] = await all(world, 'iteration.ended');
    expect(end?.data.completion).toEqual({ claimed: true, accepted: true, reason: 'claimed by an event' });
  });
});

describe('reins emit', () => {
  test('fifty at once from the agent’s shell: none lost, none twice, and all in the next prompt’s file', async () => {
    const world = newWorld();
    const fifty = `i=0; while [ $i -lt 50 ]; do i=$((i+1)); reins emit "part.$i" "payload number $i" & done; wait`;
    const run = worker(
      world,
      `if (n === 1) require('node:child_process').execFileSync('/bin/sh', ['-c', ${JSON.stringify(fifty)}], { stdio: 'inherit' });
       say(n === 2 ? 'LOOP_COMPLETE' : 'emitted'); done();`,
    );
    expect(await reins(world, [...run, '-p', 'go'])).toMatchObject({ code: 0 });
    const id = await onlySession(world);
    const published = ofType(entries(world, id), 'event.published');
    const expected = Array.from({ length: 50 }, (_, index) => [`part.${index + 1}`, `payload number ${index + 1}`]);
    const sorted = (rows: (string | undefined)[][]) => rows.map((row) => row.join(' ')).sort();
    expect(sorted(published.map(({ data }) => [data.topic, data.payload]))).toEqual(sorted(expected));
    expect(published.every(({ data }) => data.accepted && data.by === 'emit' && data.iteration === 1)).toBe(true);
    const told = agentLines(world).filter(({ type }) => type === 'event');
    expect(sorted(told.map(({ topic, payload }) => [topic, payload]))).toEqual(sorted(expected));
    const written = prompts(world, id);
    expect(Buffer.byteLength(written['002.md']!)).toBeLessThanOrEqual('go\n\n'.length + 1500);
    expect(written['002.md']).toContain('Cut to fit; all of it is in ');
    for (const [topic, payload] of expected)
      expect(written['002-details.md']).toContain(`Event ${topic}: ${payload}\n`);
  }, 120_000);

  test('outside a session it is refused with a hint; an event that is not wanted says why', async () => {
    const world = newWorld();
    const outside = await reins(world, ['emit', 'build.done']);
    expect(outside.code).toBe(30);
    expect(outside.stderr).toContain('this is not inside a session');
    const run = worker(
      world,
      `const { status, stderr } = require('node:child_process').spawnSync('reins', ['emit', 'wrong.topic'], { encoding: 'utf8' });
       say(status + ' ' + stderr.trim() + '\\nLOOP_COMPLETE'); done();`,
    );
    world.write('reins.yml', 'hats: {one: {triggers: [task.start], publishes: [right.topic]}}\n');
    const ended = await reins(world, [...run, '-p', 'go']);
    expect(ended.stdout).toContain('1 Not accepted: Event wrong.topic was dropped: hat one does not publish it');
  });
});

describe('in the agent’s shells', () => {
  const shells = `cd "$HOME"; say() { echo "$1 $2"; }
    PATH=/usr/bin:/bin bash -c 'reins emit by.name one' 2>&1; say name $?
    printf two | reins emit by.stdin - 2>&1; say stdin $?
    reins -q emit by.quiet three 2>&1; say quiet $?
    "$REINS_EMIT" by.path --json 2>&1; say path $?
    env -u REINS_EMIT_VIA reins emit by.stranger 2>&1 | head -1; say stranger
    REINS_EMIT_VIA=${'0'.repeat(32)}:/tmp reins emit by.liar 2>&1 | head -1; say liar
    PATH=/usr/bin:/bin bash -c 'ralph emit by.ralph --json "{}" --ts now' 2>&1; say ralph $?
    ralph emit by.target --target reviewer "to you" 2>&1; say target $?
    ralph tools memory add x 2>&1; say tools $?`;
  const inShell = `const { stdout } = require('node:child_process').spawnSync('bash', ['-c', ${JSON.stringify(shells)}], { encoding: 'utf8' });
    say(stdout + '\\nLOOP_COMPLETE'); done();`;

  test('L7: emit says what came of it, by name, by path and in a shell that has lost our PATH; strangers publish nothing', async () => {
    const world = newWorld();
    fakeAgent(world, 'ralph', { body: `say('the real ralph'); done();` });
    world.write('ralph.yml', 'event_loop: {max_iterations: 2}\n');
    const ended = await reins(world, [...worker(world, inShell), '-p', 'go']);
    expect(ended.code).toBe(0);
    const published = (await all(world, 'event.published')).map(({ data }) => `${data.topic} ${data.payload}`);
    expect(published).toEqual([
      ...['by.name one', 'by.stdin two', 'by.quiet three', 'by.path ', 'by.ralph {}', 'by.target to you'],
    ]);
    const lines = ended.stdout.split('\n');
    for (const line of ['published by.name', 'published by.stdin', '{"accepted":true}', 'published by.ralph'])
      expect(lines).toContain(line);
    expect(lines).not.toContain('published by.quiet');
    expect(lines.filter((line) => line.includes('does not belong to session'))).toHaveLength(2);
    for (const name of ['name', 'stdin', 'quiet', 'path', 'ralph', 'target']) expect(lines).toContain(`${name} 0`);
    expect(lines).toContain('tools 2');
    expect(ended.stdout).not.toContain('the real ralph');
  });

  test('a loop without a ralph.yml leaves the user’s own ralph alone', async () => {
    const world = newWorld();
    fakeAgent(world, 'ralph', { body: `say('the real ralph'); done();` });
    world.write('reins.yml', 'event_loop: {max_iterations: 2}\n');
    const ended = await reins(world, [...worker(world, inShell), '-p', 'go']);
    expect(ended.stdout).toContain('the real ralph');
    expect((await all(world, 'event.published')).map(({ data }) => data.topic)).not.toContain('by.ralph');
  });
});

describe('.agent/events.jsonl', () => {
  test('holds the events and each iteration’s output in full', async () => {
    const world = newWorld();
    const run = worker(
      world,
      `if (n === 1) { say('x'.repeat(3000000)); say('<event topic="next.step">go on</event>'); }
       else say('LOOP_COMPLETE');
       done();`,
    );
    expect(await reins(world, [...run, '-p', 'go'])).toMatchObject({ code: 0 });
    const id = await onlySession(world);
    const lines = agentLines(world);
    expect(lines.every(({ session }) => session === id)).toBe(true);
    const output = (n: number) =>
      lines
        .filter(({ type, iteration }) => type === 'output' && iteration === n)
        .map(({ text }) => text)
        .join('');
    expect(output(1) === `${'x'.repeat(3_000_000)}\n<event topic="next.step">go on</event>\n`).toBe(true);
    expect(output(2)).toBe('LOOP_COMPLETE\n');
    expect(lines.filter(({ type }) => type === 'event')).toMatchObject([{ topic: 'next.step', payload: 'go on' }]);
  });

  test('one file per session; the last one’s is kept, and what is not ours is never overwritten', async () => {
    const world = newWorld();
    const theirs = '{"topic":"old","payload":"of another tool"}\n';
    world.write('.agent/events.jsonl', theirs);
    const run = worker(world, `say('LOOP_COMPLETE'); done();`);
    for (let count = 0; count < 3; count++) {
      expect(await reins(world, [...run, '-p', 'go'])).toMatchObject({ code: 0 });
    }
    const owners = (name: string) => new Set(agentLines(world, name).map(({ session }) => session));
    expect(owners('events.jsonl').size).toBe(1);
    expect(owners('events.jsonl.1').size).toBe(1);
    expect(owners('events.jsonl')).not.toEqual(owners('events.jsonl.1'));
    for (const [owner] of [owners('events.jsonl'), owners('events.jsonl.1')]) expect(sessions(world)).toContain(owner);
    expect(readFileSync(join(world.project, '.agent/events.jsonl.other'), 'utf8')).toBe(theirs);
    expect(existsSync(join(world.project, '.agent/events.jsonl.2'))).toBe(false);
  });

  test('a folder that cannot be written: the loop works on, and says so once', async () => {
    const world = newWorld();
    world.write('.agent', 'a file where the folder should be');
    const run = worker(world, `say(n === 2 ? 'LOOP_COMPLETE' : '<event topic="a.b">c</event>'); done();`);
    const ended = await reins(world, [...run, '-p', 'go']);
    expect(ended.code).toBe(0);
    expect(
      ended.stderr.split('\n').filter((line) => line.includes('.agent/events.jsonl cannot be written')),
    ).toHaveLength(1);
  });
});
