/** The config's words about policy, as the policy room wants them: each value with the place it came from. */
import { homedir } from 'node:os';
import type { Config } from '../config/index.js';
import type { InquiryKind } from '../contract/index.js';
import type {
  KindModes,
  LadderRung,
  ModeValue,
  OnNoAnswer,
  PolicySettings,
  QuestionSettings,
  ToolSettings,
} from '../policy/index.js';
import type { SessionSpec } from './spec.js';

type SettingsSource = Pick<SessionSpec, 'config' | 'rules' | 'sources' | 'trust' | 'trust_source' | 'cwd'>;

export function policySettings(spec: SettingsSource): PolicySettings {
  const { defaults, ...named } = spec.config.tools;
  const convert = (name: string, tool: ToolConfig) => toolSettings(['tools', name], tool, spec.sources);
  return {
    rules: spec.rules,
    grants: [],
    tools: {
      defaults: convert('defaults', defaults),
      named: Object.fromEntries(Object.entries(named).map(([name, tool]) => [name, convert(name, tool)])),
    },
    trust: { value: spec.trust, source: spec.trust_source },
    cwd: spec.cwd,
    home: homedir(),
    onNoAnswer: noAnswerOf(['tools', 'defaults'], defaults, spec.sources) ?? { value: 'deny', source: 'default' },
    never: { value: spec.config.consult.never, source: sourceOf(['consult', 'never'], spec.sources) },
  };
}

type ToolConfig = Config['tools'][string];

function toolSettings(path: string[], tool: ToolConfig, sources: Record<string, string>): ToolSettings {
  const when = (name: 'attached' | 'detached' | 'reachable'): KindModes | undefined => {
    const written = tool[name];
    if (!written) return undefined;
    const modes: KindModes = {};
    for (const [kind, ladder] of Object.entries(written)) {
      const value = modeOf(ladder as { mode: string; secs?: number }[]);
      modes[kind as InquiryKind] = { value, source: sourceOf([...path, name, kind], sources) };
    }
    // One mode for all kinds stands in one place.
    const { run, deliver, question } = modes;
    if (deliver && run?.source === deliver.source && question?.source === deliver.source) deliver.spread = true;
    return modes;
  };
  const attached = when('attached');
  const detached = when('detached');
  const reachable = when('reachable');
  const questions = questionsOf(path, tool, sources);
  const onNoAnswer = noAnswerOf(path, tool, sources);
  return {
    ...(attached ? { attached } : {}),
    ...(detached ? { detached } : {}),
    ...(reachable ? { reachable } : {}),
    ...(onNoAnswer ? { onNoAnswer } : {}),
    ...(questions ? { questions } : {}),
  };
}

function noAnswerOf(path: string[], tool: ToolConfig, sources: Record<string, string>): OnNoAnswer | undefined {
  const value = tool.on_no_answer;
  return value === undefined ? undefined : { value, source: sourceOf([...path, 'on_no_answer'], sources) };
}

function modeOf(ladder: { mode: string; secs?: number }[]): ModeValue {
  const [only] = ladder;
  if (ladder.length === 1 && only && only.secs === undefined) return only.mode as LadderRung['mode'];
  return ladder.map((rung) => ({
    mode: rung.mode as LadderRung['mode'],
    ...(rung.secs === undefined ? {} : { forMs: rung.secs * 1000 }),
  }));
}

function questionsOf(
  path: string[],
  tool: ToolConfig,
  sources: Record<string, string>,
): Record<string, QuestionSettings> | undefined {
  if (!('questions' in tool) || !tool.questions) return undefined;
  const pairs = Object.entries(tool.questions).map(([id, question]): [string, QuestionSettings] => {
    const source = (key: string) => sourceOf([...path, 'questions', id, key], sources);
    return [
      id,
      {
        ...(question.exclusive === undefined
          ? {}
          : { exclusive: { value: question.exclusive, source: source('exclusive') } }),
        ...(question.answer === undefined ? {} : { answer: { value: question.answer, source: source('answer') } }),
      },
    ];
  });
  return Object.fromEntries(pairs);
}

/** The nearest key that was written: a kind may come from a scalar above it. */
function sourceOf(path: string[], sources: Record<string, string>): string {
  for (let length = path.length; length > 0; length -= 1) {
    const found = sources[path.slice(0, length).join('.')];
    if (found) return found;
  }
  return 'default';
}
