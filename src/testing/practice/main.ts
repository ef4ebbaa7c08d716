#!/usr/bin/env node
/**
 * The practice agent: a scripted stand-in for a coding agent, without model, network or key. It is shipped so that a
 * newcomer can try everything, and it is what our own tests drive. This file reads the command line and opens a door.
 */
import { parseArgs } from 'node:util';
import type { PracticeDoor } from './face.js';
import { misbehaveEarly } from './misbehave.js';
import { type Chosen, scenarioByFlag } from './script.js';
import { PracticeSession, VERSION } from './session.js';

const USAGE = `practice agent ${VERSION}: scripted, no model, no network, no key
usage: practice [--door stream|control|text|tui] [--scenario NAME|FILE.json] [--session-id ID] [--resume ID]
                [--settings FILE] [--skip-permissions] [--include-partial-messages] [-p] [--] [PROMPT]
Environment: PRACTICE_SPEED multiplies every delay (0: none), PRACTICE_HOME keeps status and transcripts,
PRACTICE_SCENARIO stands in for --scenario.`;

const DOORS: PracticeDoor[] = ['stream', 'control', 'text', 'tui'];

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      door: { type: 'string' },
      scenario: { type: 'string' },
      version: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      'session-id': { type: 'string' },
      resume: { type: 'string' },
      settings: { type: 'string' },
      'skip-permissions': { type: 'boolean' },
      'include-partial-messages': { type: 'boolean' },
      print: { type: 'boolean', short: 'p' },
    },
  });
  if (values.version || values.help) {
    process.stdout.write(values.version ? `${VERSION} (practice agent)\n` : `${USAGE}\n`);
    return 0;
  }
  const door = (values.door ?? (process.stdout.isTTY && !values.print ? 'tui' : 'stream')) as PracticeDoor;
  if (!DOORS.includes(door)) throw new Error(`unknown door '${door}'. There are: ${DOORS.join(', ')}`);
  const flag = values.scenario ?? process.env.PRACTICE_SCENARIO;
  const chosen: Chosen | undefined = flag ? scenarioByFlag(flag) : undefined;
  if (chosen?.scenario.early) await misbehaveEarly(chosen.scenario.name);

  const session = new PracticeSession({
    ...(values['session-id'] === undefined ? {} : { id: values['session-id'] }),
    ...(values.resume === undefined ? {} : { resume: values.resume }),
    ...(values.settings === undefined ? {} : { settings: values.settings }),
    skipPermissions: values['skip-permissions'] ?? false,
    env: process.env,
  });
  process.on('exit', () => session.close());
  const prompt = positionals.length > 0 ? positionals.join(' ') : undefined;
  const partial = values['include-partial-messages'] ?? false;
  if (door === 'tui') {
    const { tuiDoor } = await import('./tui-door.js');
    return tuiDoor({ session, chosen, prompt });
  }
  if (door === 'control') {
    const { controlDoor } = await import('./control-door.js');
    return controlDoor({ session, chosen, prompt, partial });
  }
  const { streamDoor } = await import('./stream-door.js');
  return streamDoor({ session, chosen, prompt: prompt ?? (await stdin()), partial, text: door === 'text' });
}

async function stdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`practice agent: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
