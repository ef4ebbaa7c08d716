/**
 * Three short rehearsals per agent, one for each door: what was seen is turned into signs. The model is scripted and local;
 * the agent, its protocol, its screen and our doors are the real ones.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry, EntryType } from '../../contract/index.js';
import { places } from '../../link/index.js';
import type { ProbedAgent, SignSeen } from '../../sessions/run.js';
import {
  expectNoProcesses,
  type Installed,
  type LabAgent,
  type LabTurn,
  ModelServer,
  prepareSeat,
  processesWith,
} from '../../testing/index.js';
import { clearedOnSignal } from './ended-by-signal.js';
import { type Of, OwnCli } from './own-cli.js';

const MARK = 'PROBE_STAGE';

interface RehearsalStage {
  cli: OwnCli;
  server: ModelServer;
  /** Whether the agent made this file. */
  made(name: string): boolean;
}

export async function probeAgent(installed: Installed, env: Record<string, string | undefined>): Promise<ProbedAgent> {
  const { agent, version, program } = installed;
  const from = Date.now();
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'reins-probe-')));
  const signs: SignSeen[] = [];
  const rehearse = async (ended: AbortSignal): Promise<void> => {
    for (const [turns, rehearsal] of [
      [STREAM, streamed],
      [CONTROL, controlled],
      [tuiTurns(agent), shown],
    ] as const) {
      const stage = await openStage({ installed, turns, dir: mkdtempSync(join(dir, 'door-')), mark: dir, env, ended });
      signs.push(...(await rehearsal(stage, agent)));
      await stage.server.close();
    }
    signs.push(await nothingLeft(dir));
  };
  try {
    await clearedOnSignal(rehearse, () => clearAway(dir));
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  }
  return { agent, version, program, seconds: Math.round((Date.now() - from) / 100) / 10, signs };
}

async function openStage(given: {
  installed: Installed;
  turns: LabTurn[];
  dir: string;
  /** In the environment of everything that is started. */
  mark: string;
  env: Record<string, string | undefined>;
  ended: AbortSignal;
}): Promise<RehearsalStage> {
  const { installed, turns, dir } = given;
  const [cwd, bin] = [join(dir, 'project'), join(dir, 'bin')];
  for (const folder of [cwd, bin]) mkdirSync(folder);
  symlinkSync(installed.program, join(bin, installed.agent));
  const server = await ModelServer.start({ scenario: { turns }, cwd });
  const path = [bin, given.env.PATH ?? ''].join(delimiter);
  const seat = prepareSeat({ installed, url: server.url, cwd, dir, path });
  // Only what the seat needs: nothing of the user's reaches the agent.
  const env = {
    ...seat.env,
    [MARK]: given.mark,
    XDG_STATE_HOME: join(dir, 'state'),
    XDG_CONFIG_HOME: join(dir, 'config'),
  };
  return { cli: new OwnCli({ env, cwd, ended: given.ended }), server, made: (name) => existsSync(join(cwd, name)) };
}

const STREAM: LabTurn[] = [
  { blocks: [{ text: 'I begin.' }, { bash: 'echo streamed > streamed.txt; cat streamed.txt' }] },
  { blocks: [{ text: 'I am done.' }] },
];

async function streamed({ cli, made }: RehearsalStage, agent: LabAgent): Promise<SignSeen[]> {
  const { code, out, err } = await cli.run(['run', '-b', agent, '--once', '--trust', 'full', '--format', 'json', 'go']);
  const all = linesOf(out);
  const ended = of(all, 'agent.ended')[0];
  const text = of(all, 'agent.text').map(({ data }) => data.text);
  const called = of(all, 'tool.called').length;
  const returned = of(all, 'tool.returned').some(({ data }) => data.text.includes('streamed'));
  const understood = text.join('').includes('I am done.') && called === 1 && returned && made('streamed.txt');
  return [
    seen('starts', ended?.data.ok === true && code === 0, ended?.data.reason ?? (err || `exit code ${code}`)),
    seen('stream', understood, `text ${text.length}, calls ${called}, result ${returned ? 'read' : 'missing'}`),
  ];
}

const CONTROL: LabTurn[] = [
  { blocks: [{ bash: 'echo allowed > allowed.txt' }] },
  { blocks: [{ bash: 'echo denied > denied.txt' }] },
  { blocks: [{ text: 'I heard: {{result}}' }] },
];

async function controlled({ cli, made, server }: RehearsalStage, agent: LabAgent): Promise<SignSeen[]> {
  const rules = ['--set', 'rules.allow=["Bash(echo allowed:*)"]', '--set', 'rules.deny=["Bash(echo denied:*)"]'];
  const { out, err } = await cli.run(['run', '-b', agent, '--once', ...rules, '--format', 'json', 'go']);
  const all = linesOf(out);
  const verdicts = of(all, 'inquiry.answered').map(({ data }) => data.answer.verdict.kind);
  const told = server.main.some(({ body }) => JSON.stringify(body).includes('Bash(echo denied'));
  const files = `allowed ${made('allowed.txt') ? 'ran' : 'did not run'}, denied ${made('denied.txt') ? 'RAN' : 'did not run'}`;
  return [
    seen('asks', verdicts.includes('allow') && verdicts.includes('deny'), verdicts.join(', ') || err.slice(-200)),
    seen('obeys', made('allowed.txt') && !made('denied.txt') && told, `${files}, ${told ? 'told' : 'not told'} why`),
  ];
}

/** What makes this agent ask in its own terminal: codex runs what its sandbox allows and asks for the rest. */
function tuiTurns(agent: LabAgent): LabTurn[] {
  const command = 'touch shown.txt';
  const input = { cmd: command, sandbox_permissions: 'require_escalated', justification: 'The rehearsal wants it.' };
  const asks = agent === 'codex' ? { tool: { name: 'exec_command', input } } : { bash: command };
  return [{ blocks: [{ text: 'I ask first.' }, asks] }, { blocks: [{ text: 'That was all.' }] }];
}

async function shown({ cli, made }: RehearsalStage, agent: LabAgent): Promise<SignSeen[]> {
  // Only whether it may run is held for us to answer: that the result may be read is not asked about here.
  const held = 'tools.defaults.detached={run: defer, deliver: auto, question: defer}';
  const started = await cli.run(['run', '-i', '-d', '-b', agent, '--set', held]);
  const id = started.out.trim();
  if (started.code !== 0) return [seen('ready', false, started.err.slice(-300))];
  const ready = await cli.entry(id, 'state.changed', ({ data }) => data.agent_state === 'ready');
  const sent = await cli.run(['send', id, 'please go on with it', '--json']);
  const receipt = parsed<{ verdict?: string; evidence?: string; reason?: string }>(sent.out);
  const asked = await cli.entry(id, 'inquiry.opened', ({ data }) => data.inquiry.kind === 'run');
  const inquiry = asked?.data.inquiry.id;
  const answered = inquiry ? await cli.run(['answer', inquiry, 'allow']) : undefined;
  const last = await cli.entry(id, 'agent.text', ({ data }) => data.text.includes('That was all.'));
  const prompt = cli.entries(id).find((one) => one.type === 'prompt.given');
  const stopped = await cli.run(['stop', id, '--json']);
  const left = parsed<{ left?: number }>(stopped.out)?.left;
  return [
    seen('ready', ready !== undefined, ready?.data.because ?? 'never seen'),
    seen('submit', receipt?.verdict === 'submitted', receipt?.evidence ?? receipt?.reason ?? sent.err.slice(-200)),
    seen('dialog', asked !== undefined, asked ? `asks about ${asked.data.inquiry.tool}` : 'no inquiry came'),
    seen('answers', made('shown.txt'), answered ? answered.err.trim().slice(-200) : 'nothing to answer'),
    seen('transcript', last !== undefined && prompt !== undefined, last ? 'read' : 'not found or not understood'),
    ...(left === 0 ? [] : [seen('stop', false, `${left ?? 'unknown'} processes left`)]),
  ];
}

/** Everything the probe started carries its mark; a host may still be closing its journal. */
async function nothingLeft(dir: string): Promise<SignSeen> {
  if (!existsSync('/proc')) return seen('stop', true, 'as far as the stop itself could tell');
  const mark = `${MARK}=${dir}`;
  try {
    await expectNoProcesses(mark);
    return seen('stop', true, 'nothing left');
  } catch (error) {
    for (const { pid } of processesWith(mark)) process.kill(pid, 'SIGKILL');
    return seen('stop', false, (error as Error).message);
  }
}

/** Sessions, hosts and agents of a probe that is ended in the middle: none of them has anything to lose. */
async function clearAway(dir: string): Promise<void> {
  for (let tries = 0; tries < MOST_SWEEPS; tries += 1) {
    const left = existsSync('/proc') ? processesWith(`${MARK}=${dir}`) : hostsBelow(dir);
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone already, which is what was wanted.
      }
    }
    if (left.length === 0) break;
    await sleep(SWEEP_EVERY_MS);
  }
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
}

/** A host starts its agent meanwhile, and one that is killed leaves it: looked at until nothing is left. */
const MOST_SWEEPS = 100;
const SWEEP_EVERY_MS = 50;

/** Where processes cannot be asked for their environment: the hosts, whose agents hang up with them. */
function hostsBelow(dir: string): { pid: number }[] {
  return readdirSync(dir).flatMap((door) =>
    places({ XDG_STATE_HOME: join(dir, door, 'state') }).flatMap(({ host, alive }) => (host && alive ? [host] : [])),
  );
}

const seen = (sign: SignSeen['sign'], ok: boolean, detail: string): SignSeen => ({ sign, ok, detail });

const of = <T extends EntryType>(all: Entry[], type: T): Of<T>[] =>
  all.filter((one): one is Of<T> => one.type === type);

const linesOf = (out: string): Entry[] =>
  out
    .split('\n')
    .map((line) => parsed<Entry>(line))
    .filter((one) => one !== undefined);

function parsed<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined; // Not JSON: the command said something else, which is the finding.
  }
}
