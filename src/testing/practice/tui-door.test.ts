import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectNoProcesses } from '../leaks.js';
import type { PracticeWish } from '../practice-agent.js';
import { Folder, InTerminal, until } from './harness.cases.js';

const ESC = '\x1b';
const DOWN = '\x1b[B';

let folder: Folder;
let agent: InTerminal | undefined;
beforeEach(() => {
  folder = new Folder();
});
afterEach(async () => {
  await agent?.close();
  agent = undefined;
  folder.close();
});

async function open(wish: PracticeWish & { cols?: number; rows?: number; env?: Record<string, string> } = {}) {
  agent = new InTerminal({ ...wish, cwd: folder.path });
  await agent.ready();
  return agent;
}
const path = (name: string) => join(folder.path, name);
const count = (text: string, part: string) => text.split(part).length - 1;

/** A hook that writes down what it was told and then answers; exit 2 when the answer is `exit2`. */
function settings(events: Record<string, string>): string {
  const hooks = Object.entries(events).map(([event, answer]) => {
    const script = path(`${event}.sh`);
    const say = answer === 'exit2' ? 'echo "not allowed here" >&2; exit 2' : `printf '%s' '${answer}'`;
    writeFileSync(script, `#!/bin/sh\ncat > "${path(event)}.json"\n${say}\n`);
    chmodSync(script, 0o755);
    return [event, [{ matcher: '', hooks: [{ type: 'command', command: script, args: [], timeout: 20 }] }]];
  });
  const file = path('settings.json');
  writeFileSync(file, JSON.stringify({ hooks: Object.fromEntries(hooks) }));
  return file;
}
const told = (event: string) => JSON.parse(readFileSync(path(`${event}.json`), 'utf8')) as Record<string, unknown>;

describe('terminal door', () => {
  it('says first what it is, stays on the normal screen, and shows an idle box', async () => {
    const terminal = await open();
    expect(terminal.text().split('\n')[0]).toContain('practice agent');
    expect(terminal.text().split('\n')[0]).toContain('no model, no network');
    expect(terminal.screen.buffer.active.type).toBe('normal');
    expect(terminal.screen.modes.bracketedPasteMode).toBe(true);
    terminal.write('/exit\r');
    expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
    expect(terminal.screen.modes.bracketedPasteMode).toBe(false);
  });

  it('streams an answer, with the working title meanwhile and the idle one after', async () => {
    const terminal = await open({ speed: 0.2 });
    terminal.submit('hello');
    await terminal.sees('Practised for');
    await terminal.ready();
    expect(terminal.titles.some((title) => /^[⠂⠐] practice$/.test(title))).toBe(true);
    expect(count(terminal.text(), '● Hello! I am the practice agent')).toBe(1);
    expect(count(terminal.text(), '❯ hello')).toBe(1);
  });

  it('takes a paste exactly once: several lines, controls inside, one Enter', async () => {
    const terminal = await open({ scenario: 'echo' });
    terminal.write(`${ESC}[200~line one\rline`);
    terminal.write(` two${ESC}[20`);
    terminal.write('1~');
    await terminal.sees(/❯ line one\n {2}line two/);
    expect(terminal.text()).not.toContain('bytes=');
    terminal.write('\r');
    await terminal.sees(`bytes=${'line one\nline two'.length} `);
    await terminal.ready();
    expect(count(terminal.text(), 'bytes=')).toBe(1);
  });

  it('takes 1 MB in one paste', async () => {
    const terminal = await open({ scenario: 'echo', cols: 200 });
    await terminal.submitLarge('y'.repeat(1024 * 1024));
    await terminal.sees(`bytes=${1024 * 1024} `);
    await terminal.ready();
  });

  it.each([
    ['1', true],
    ['\r', true],
    [`${DOWN}\r`, true],
    ['3', false],
    [`${DOWN}${DOWN}\r`, false],
  ])('permission answered with %j: ran %s', async (keys, ran) => {
    const terminal = await open();
    terminal.submit('ask-permission');
    await terminal.sees(/Do you want to proceed\?\n ❯ 1\. Yes\n {3}2\. Yes, for this session\n {3}3\. No\n/);
    await until('the waiting title', () => terminal.titles.at(-1) === '✳ practice');
    terminal.write(keys);
    await terminal.ready();
    expect(terminal.text()).toContain(ran ? 'Done. It said:' : 'Not done:');
    expect(existsSync(path('practice.txt'))).toBe(ran);
    expect(terminal.text()).not.toContain('Do you want to proceed');
  });

  it('"for this session" is not asked again; pasted text answers no dialog; Esc interrupts', async () => {
    const terminal = await open();
    terminal.submit('ask-permission');
    await terminal.sees('Do you want to proceed?');
    terminal.write(`${ESC}[200~1${ESC}[201~`);
    terminal.write(ESC);
    await terminal.sees('Interrupted');
    await terminal.ready();
    expect(existsSync(path('practice.txt'))).toBe(false);
    terminal.submit('ask-permission');
    await terminal.sees('Do you want to proceed?');
    terminal.write('2');
    await terminal.sees('Done. It said:');
    await terminal.ready();
    terminal.submit('parallel');
    await terminal.sees('All three are settled.');
    expect(readdirSync(folder.path).filter((name) => name.startsWith('parallel'))).toHaveLength(3);
  });

  it('parallel: one dialog after the other', async () => {
    const terminal = await open();
    terminal.submit('parallel');
    for (const [name, key] of [
      ['one', '1'],
      ['two', '3'],
      ['three', '1'],
    ] as const) {
      // The dialog's own lines: the call stands above it as well, and a key pressed before the dialog is lost.
      await terminal.sees(
        new RegExp(`Bash command\\n\\n {3}echo ${name} > parallel-${name}\\.txt\\n(.*\\n)+ Do you want to proceed\\?`),
      );
      terminal.write(key);
    }
    await terminal.sees('All three are settled.');
    expect(readdirSync(folder.path).sort()).toEqual(['parallel-one.txt', 'parallel-three.txt']);
  });

  it.each([
    ['ask-single', ['2'], 'Understood: SQLite.'],
    ['ask-single', [`${DOWN}${DOWN}\r`], 'Understood: MongoDB.'],
    ['ask-single', ['4', 'Cockroach 🙂', '\r'], 'Understood: Cockroach 🙂.'],
    ['ask-multi', ['1', '3', '\t', '\r'], 'Understood: Auth, Metrics.'],
    ['ask-multi', [' ', DOWN, ' ', `${DOWN}${DOWN}${DOWN}`, '\r'], 'Understood: Auth, Cache.'],
    ['ask-free', [`${ESC}[200~my project${ESC}[201~`, '\r'], 'Understood: my project.'],
    ['ask-several', ['1', '2', '\t', '\r', 'name', '\r'], 'Understood: PostgreSQL; Cache; name.'],
  ])('%s with %j', async (scenario, keys, said) => {
    const terminal = await open();
    terminal.submit(scenario);
    await terminal.sees('Esc to cancel');
    for (const key of keys) {
      // A key counts when it comes alone, as in the real agents: wait until the one before was painted.
      const before = terminal.bytes.length;
      terminal.write(key);
      await until('a new frame', () => terminal.bytes.length > before);
    }
    await terminal.sees(said);
    await terminal.ready();
  });

  it('Esc and Ctrl-C interrupt a turn and the command it runs; the agent lives on', async () => {
    const mark = 'PRACTICE_MARK';
    const terminal = await open({
      env: { [mark]: folder.path },
      skipPermissions: true,
      scenario: '[{"tool":"Bash","input":{"command":"sleep 200"}}]',
    });
    for (const key of [ESC, '\x03']) {
      terminal.submit('go');
      await until('working', () => /[⠂⠐]/.test(terminal.titles.at(-1) ?? '') || undefined);
      await terminal.sees('● Bash(sleep 200)');
      terminal.write(key);
      await terminal.ready();
    }
    expect(count(terminal.text(), 'Interrupted')).toBe(2);
    terminal.write('/exit\r');
    await terminal.ended();
    await expectNoProcesses(`${mark}=${folder.path}`);
  });

  it('a message while it works is queued and comes next; Ctrl-C clears the box, twice leaves', async () => {
    const terminal = await open();
    terminal.submit('slow 60');
    await terminal.sees('This takes a while.');
    terminal.submit('hello');
    await terminal.sees(/❯ hello/);
    terminal.write(ESC);
    await terminal.sees('● Hello!');
    await terminal.ready();
    terminal.write('half a thought');
    await terminal.sees('❯ half a thought');
    terminal.write('\x03');
    await terminal.ready();
    terminal.write('\x03');
    await terminal.sees('Press Ctrl-C again to exit');
    terminal.write('\x03');
    expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
  });

  it('paints anew when the terminal changes its size', async () => {
    const terminal = await open({ cols: 100, rows: 30 });
    for (const [cols, rows] of [
      [60, 20],
      [130, 35],
    ] as const) {
      terminal.screen.resize(cols, rows);
      terminal.pty.resize(cols, rows);
      await until(
        `rules of ${cols}`,
        () =>
          terminal
            .bottom(4)
            .split('\n')
            .filter((line) => line === '─'.repeat(cols)).length === 2 || undefined,
        () => terminal.text(),
      );
    }
    expect(count(terminal.text(), '? /help')).toBe(1);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('%s restores the terminal and exits %i', async (signal, code) => {
    const terminal = await open({ home: path('home') });
    const status = () => readdirSync(path('home/sessions'));
    // Painted a moment before it is written down.
    await until('its status file', () => existsSync(path(`home/sessions/${terminal.pty.pid}.json`)));
    expect(status()).toEqual([`${terminal.pty.pid}.json`]);
    terminal.pty.kill(signal);
    expect(await terminal.ended()).toMatchObject({ code });
    expect(terminal.screen.modes.bracketedPasteMode).toBe(false);
    expect(status()).toEqual([]);
  });

  it('keeps its status file: idle, busy, waiting', async () => {
    const terminal = await open({ home: path('home') });
    const status = () =>
      JSON.parse(readFileSync(path(`home/sessions/${terminal.pty.pid}.json`), 'utf8')) as Record<string, unknown>;
    // Painted a moment before it is written down.
    await until('its status file', () => existsSync(path(`home/sessions/${terminal.pty.pid}.json`)));
    expect(status()).toMatchObject({ status: 'idle', pid: terminal.pty.pid, cwd: folder.path });
    terminal.submit('ask-single');
    await until('waiting', () => status().status === 'waiting');
    expect(status().waitingFor).toBe('permission prompt');
    terminal.write('1');
    await until('idle', () => status().status === 'idle');
    terminal.submit('slow 60');
    await until('busy', () => status().status === 'busy');
  });

  it('hostile text stays text: no title, no state, no mode comes of it', async () => {
    const terminal = await open();
    const titles = terminal.titles.length;
    terminal.submit('hostile');
    await terminal.sees('Continue? [y/N]');
    await terminal.ready();
    expect(terminal.titles.slice(titles).every((title) => /^[✳⠂⠐] practice$/.test(title))).toBe(true);
    expect(terminal.screen.buffer.active.type).toBe('normal');
  });

  it('a leading ! is a command of the person; an unknown /word is named', async () => {
    const terminal = await open();
    terminal.submit('!echo mine > mine.txt');
    await until('the file', () => existsSync(path('mine.txt')) || undefined);
    terminal.submit('/nonsense');
    await terminal.sees('Unknown command: /nonsense');
    terminal.submit('/help');
    await terminal.sees('die-before-ready');
  });

  it('resume shows the earlier prompts and keeps the id', async () => {
    const sessionId = '11111111-2222-4333-8444-777777777777';
    const first = await open({ home: path('home'), sessionId });
    first.submit('hello');
    await first.sees('● Hello!');
    first.write('/exit\r');
    await first.ended();
    const second = await open({ home: path('home'), resume: sessionId });
    expect(second.text()).toMatch(new RegExp(`resumed ${sessionId}\\n\\n❯ hello`));
  });
});

describe('hooks', () => {
  const specific = (event: string, more: object) =>
    JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...more } });

  it('PreToolUse allow opens without a dialog, and is told what claude tells', async () => {
    const allow = specific('PreToolUse', { permissionDecision: 'allow' });
    const terminal = await open({
      settings: settings({ PreToolUse: allow, UserPromptSubmit: '', SessionStart: '', Stop: '' }),
      home: path('home'),
    });
    terminal.submit('ask-permission');
    await terminal.sees('Done. It said:');
    expect(told('PreToolUse')).toMatchObject({
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      cwd: folder.path,
      permission_mode: 'default',
    });
    expect(told('UserPromptSubmit')).toMatchObject({ prompt: 'ask-permission' });
    expect(told('SessionStart')).toMatchObject({ source: 'startup' });
    await until('Stop', () => existsSync(path('Stop.json')) || undefined);
    expect(existsSync(String(told('PreToolUse').transcript_path))).toBe(true);
  });

  it.each([
    ['deny', specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'not allowed here' })],
    ['exit 2', 'exit2'],
  ])('PreToolUse %s: not run, the reason told, the turn goes on', async (_what, answer) => {
    const terminal = await open({ settings: settings({ PreToolUse: answer }), skipPermissions: true });
    terminal.submit('ask-permission');
    await terminal.sees('Not done: not allowed here');
    await terminal.ready();
    expect(existsSync(path('practice.txt'))).toBe(false);
  });

  it.each([
    ['garbage', 'this is not json', false],
    ['ask', specific('PreToolUse', { permissionDecision: 'ask' }), true],
  ])(
    'PreToolUse %s: the dialog decides (also with permissions skipped only for ask)',
    async (_what, answer, skipPermissions) => {
      const terminal = await open({ settings: settings({ PreToolUse: answer }), skipPermissions });
      terminal.submit('ask-permission');
      await terminal.sees('Do you want to proceed?');
      terminal.write('1');
      await terminal.sees('Done. It said:');
    },
  );

  it('PermissionRequest answers beside the dialog, which closes', async () => {
    const allow = specific('PermissionRequest', {
      decision: { behavior: 'allow', updatedInput: { command: 'echo hooked > practice.txt' } },
    });
    const terminal = await open({ settings: settings({ PermissionRequest: allow }) });
    terminal.submit('ask-permission');
    await terminal.sees('Done. It said:');
    await terminal.ready();
    expect(readFileSync(path('practice.txt'), 'utf8')).toBe('hooked\n');
    expect(terminal.bytes).toContain('Do you want to proceed?');
  });

  it('a key answers while PermissionRequest still waits; the late hook is ended with the agent', async () => {
    const file = path('settings.json');
    const hook = { type: 'command', command: 'sleep', args: ['100'], timeout: 200 };
    writeFileSync(file, JSON.stringify({ hooks: { PermissionRequest: [{ hooks: [hook] }] } }));
    const terminal = await open({ settings: file, env: { PRACTICE_MARK: folder.path } });
    terminal.submit('ask-permission');
    await terminal.sees('Do you want to proceed?');
    terminal.write('3');
    await terminal.sees('Not done:');
    terminal.submit('/exit');
    await terminal.ended();
    await expectNoProcesses(`PRACTICE_MARK=${folder.path}`);
  });

  it('a question is answered through PreToolUse with updatedInput: no dialog opens', async () => {
    const questions = [
      { question: 'Which database should I use?', header: 'Database', options: [], multiSelect: false },
    ];
    const updatedInput = { questions, answers: { 'Which database should I use?': 'MongoDB' } };
    const terminal = await open({
      settings: settings({ PreToolUse: specific('PreToolUse', { permissionDecision: 'allow', updatedInput }) }),
    });
    terminal.submit('ask-single');
    await terminal.sees('Understood: MongoDB.');
    expect(terminal.bytes).not.toContain('Esc to cancel');
  });

  it('UserPromptSubmit may refuse a prompt; Stop may send the turn back to work', async () => {
    const refusing = await open({
      settings: settings({ UserPromptSubmit: JSON.stringify({ decision: 'block', reason: 'not now' }) }),
    });
    refusing.submit('hello');
    await refusing.sees('not now');
    await refusing.ready();
    expect(refusing.text()).not.toContain('● Hello!');
    await refusing.close();
    const file = path('settings.json');
    const once = `cat > ${path('stop')}; test -e ${path('again')} || { touch ${path('again')}; echo '{"decision":"block","reason":"the tests fail"}'; }`;
    writeFileSync(file, JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: once }] }] } }));
    const terminal = await open({ settings: file });
    terminal.submit('hello');
    await terminal.sees('Stop hook feedback: the tests fail');
    await terminal.ready();
    expect(JSON.parse(readFileSync(path('stop'), 'utf8'))).toMatchObject({ stop_hook_active: true });
  });
});
