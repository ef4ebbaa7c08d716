/**
 * Calls that codex asks nobody about. One that only reads or leads to others passes, as the built-in list says; one that
 * acts ends the agent, or is not to be had under guarded.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reins } from '../journeys/support/cli.js';
import { all, entry } from '../journeys/support/journal.js';
import { detached } from '../journeys/support/session.js';
import { detachedMode, type Lab, openLab, runOnce, stateIs } from './support.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = (file: string) => writeFileSync(file, Buffer.from(PIXEL, 'base64'));
const SHELL = ['--set', 'rules.allow=["Bash"]'];
const RUNS = '{tool: {name: exec_command, input: {cmd: "cat > got.txt", tty: true, yield_time_ms: 300}}}';
const typing = (chars: string) =>
  `{tool: {name: write_stdin, input: {session_id: "{{id}}", chars: ${JSON.stringify(chars)}, yield_time_ms: 300}}}`;
const done = '{text: "I was told: {{result}}"}';

const ungated = async ({ world }: Lab) => (await all(world, 'ungated')).map(({ data }) => data.tool);

describe('codex, calls it does not ask about', () => {
  it('an image of the folder is looked at', async () => {
    const lab = await openLab('codex', `turns: [{tool: {name: view_image, input: {path: a.png}}}, ${done}]`);
    image(join(lab.world.project, 'a.png'));
    expect((await runOnce(lab)).code).toBe(0);
    expect((await all(lab.world, 'tool.called')).map(({ data }) => data.tool)).toEqual(['view_image']);
  });

  it('an image from elsewhere ends it', async () => {
    const lab = await openLab('codex', (project) => {
      image(join(project, '../b.png'));
      return `turns: [{tool: {name: view_image, input: {path: ${join(project, '../b.png')}}}}, ${done}]`;
    });
    expect((await runOnce(lab)).code).toBe(6);
    expect(await ungated(lab)).toEqual(['view_image']);
  });

  it('its web search is not offered, unless a rule allows it', async () => {
    const search = `turns: [{tool: {name: web_search, input: {query: heron}}}, ${done}]`;
    const without = await openLab('codex', `turns: [${done}]`);
    await runOnce(without);
    expect(without.server.main[0]?.tools).not.toContain('web_search');
    const allowed = await openLab('codex', search);
    expect((await runOnce(allowed, ['--set', 'rules.allow=["WebSearch"]'])).code).toBe(0);
    expect(allowed.server.main[0]?.tools).toContain('web_search');
    expect((await all(allowed.world, 'tool.called')).map(({ data }) => data.tool)).toEqual(['web_search']);
    // A model that searches all the same.
    const forced = await openLab('codex', search);
    expect((await runOnce(forced)).code).toBe(6);
  });

  it('a helper is started, and what it does is asked about', async () => {
    const spawn = '{tool: {name: multi_agent_v1__spawn_agent, input: {message: help me}}}';
    const child = '{when: help me, bash: touch MARKER}';
    // The model takes its time, so that the helper is there when it asks.
    const lab = await openLab(
      'codex',
      `turns: [${child}, {when: help me, text: ok}, ${spawn}, {delay: 90000, text: done}]`,
    );
    const id = await detached(lab.world, ['run', '-b', 'codex', '--once', ...detachedMode('defer'), 'go']);
    const { data } = await entry(lab.world, 'inquiry.opened');
    expect(data.inquiry).toMatchObject({ tool: 'shell', parent: expect.any(String) });
    expect(existsSync(join(lab.world.project, 'MARKER'))).toBe(false);
    expect(await ungated(lab)).toEqual([]);
    await reins(lab.world, ['kill', id]);
  });

  it('what it types into a command that runs ends it; looking at its output and ending it does not', async () => {
    const looks = await openLab('codex', `turns: [${RUNS}, ${typing('')}, ${typing('\u0003')}, ${done}]`);
    expect((await runOnce(looks, SHELL)).code).toBe(0);
    const types = await openLab('codex', `turns: [${RUNS}, ${typing('echo hi\n')}, ${done}]`);
    expect((await runOnce(types, SHELL)).code).toBe(6);
    expect((await entry(types.world, 'ungated')).data).toMatchObject({ tool: 'write_stdin', why: 'unasked' });
    const allowed = await openLab('codex', `turns: [${RUNS}, ${typing('echo hi\n')}, ${done}]`);
    expect((await runOnce(allowed, ['--set', 'rules.allow=["Bash", "write_stdin"]'])).code).toBe(0);
  });

  it('in its terminal, the same: its rollout tells of them too', async () => {
    const spawn = '{tool: {name: multi_agent_v1__spawn_agent, input: {message: help me}}}';
    const turns = `{when: help me, text: ok}, {tool: {name: view_image, input: {path: a.png}}}, ${spawn}, {tool: {name: get_goal, input: {}}}`;
    const lab = await openLab('codex', `turns: [${turns}, {text: all done}]`);
    image(join(lab.world.project, 'a.png'));
    const id = await detached(lab.world, ['run', '-i', '-b', 'codex', ...detachedMode('defer'), 'go']);
    await stateIs(lab, id, 'idle');
    expect(await ungated(lab)).toEqual([]);
    await reins(lab.world, ['kill', id]);
  });
});
