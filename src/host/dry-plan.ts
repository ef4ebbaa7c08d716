/** What a session would start first, as data: the same planning the host does, with nothing carried out. */
import { randomUUID } from 'node:crypto';
import { loadAdapters } from '../adapters/loaded.js';
import { adapterSettings, wornAgent } from '../config/index.js';
import { buildPrompt, initialState, reduce } from '../loop/index.js';
import { adapterFor, planLaunch } from './launch.js';
import { moduleOf } from './modes/create.js';
import { loopSettingsOf } from './modes/loop-settings.js';
import type { SessionSpec } from './spec.js';
import { worn } from './worn.js';

export interface DryPlan {
  door: string;
  io: string;
  argv: string[];
  /** null: removed. */
  env: Record<string, string | null>;
  stdin?: string;
  notes: string[];
  prompt?: string;
  files: string[];
  policy: string[];
}

export interface DryPlanFrom {
  dir: string;
  env: Record<string, string | undefined>;
  hook: string[];
  prompt: string | undefined;
  promptFile: string;
}

export async function dryPlan(spec: SessionSpec, from: DryPlanFrom): Promise<DryPlan> {
  const mode = spec.mode === 'exec' ? 'autonomous' : spec.mode;
  const first = mode === 'autonomous' ? firstStart(spec, from.prompt ?? '') : undefined;
  const prompt = first ? buildPrompt(first.prompt) : from.prompt;
  const as = async (hat: string | undefined) => {
    const wears = worn(spec, hat);
    await loadAdapters([wears.adapter], moduleOf(spec));
    const adapter = adapterFor(wears.adapter);
    return planLaunch(
      {
        spec: wears.spec,
        dir: from.dir,
        env: from.env,
        hook: { argv: from.hook, socket: '(the host’s socket)', secret: '(a secret)' },
        settings: adapterSettings(spec.config, adapter.id),
      },
      {
        adapter,
        mode,
        tui: spec.tui,
        promptFile: from.promptFile,
        ...(prompt === undefined ? {} : { prompt }),
        // As the start does: a terminal program is told what its conversation is called.
        ...(mode === 'interactive' || spec.tui
          ? { conversation: { id: randomUUID(), resume: false }, companion: true }
          : {}),
      },
    );
  };
  const { plan, door, env } = await as(first?.hat);
  // A hat that cannot be started so is told now, and not when its turn comes after an hour.
  if (mode === 'autonomous') for (const hat of bringers(spec)) await as(hat);
  return {
    door,
    io: plan.io,
    argv: [plan.command, ...plan.args],
    env: Object.fromEntries(
      Object.entries({ ...env, REINS_SESSION: spec.id }).map(([name, value]) => [name, value ?? null]),
    ),
    ...(typeof plan.stdin === 'object' ? { stdin: plan.stdin.file } : {}),
    notes: [
      ...plan.notes,
      ...(plan.accepts ? [`as you agreed, ${plan.accepts.file} gets ${plan.accepts.path.join(' → ')}`] : []),
    ],
    ...(prompt === undefined ? {} : { prompt }),
    files: plan.files.map((file) => file.path),
    policy: policyLines(spec),
  };
}

/** Hats with an agent or bounds of their own. */
function bringers({ config }: SessionSpec): string[] {
  return Object.keys(config.hats).filter((id) => {
    const { adapter, args, deny } = wornAgent(config, id);
    return adapter !== undefined || args.length > 0 || deny.length > 0;
  });
}

/** Its first hat may bring an agent of its own. */
function firstStart(spec: SessionSpec, words: string) {
  const state = initialState({ ...loopSettingsOf(spec), prompt: words });
  return reduce(state, { kind: 'started', at: 0 }).effects.find((effect) => effect.do === 'start');
}

function policyLines(spec: SessionSpec): string[] {
  const { defaults } = spec.config.tools;
  const ladder = (rungs: { mode: string; secs?: number }[] | undefined, otherwise: string) =>
    rungs?.map((rung) => (rung.secs === undefined ? rung.mode : `${rung.mode} for ${rung.secs} s`)).join(', then ') ??
    otherwise;
  return [
    `attached: run ${ladder(defaults.attached?.run, 'ask')}, question ${ladder(defaults.attached?.question, 'ask')}, deliver ${ladder(defaults.attached?.deliver, 'auto')}`,
    `detached: run ${ladder(defaults.detached?.run, 'deny')}, question ${ladder(defaults.detached?.question, 'deny')}, deliver ${ladder(defaults.detached?.deliver, 'deny')}`,
    ...spec.rules.map((rule) => `${rule.effect} ${rule.text}  (${rule.source})`),
  ];
}
