/**
 * The policy of one session: settings from the config, grants given while it runs (and before, if it is continued). The
 * rules' own code and the shell parser are loaded when the first inquiry has to be judged: a session that asks nothing
 * starts without them.
 */
import { existsSync, readlinkSync } from 'node:fs';
import { type By, type Entry, type Inquiry, once, type Presence, type RuleRef } from '../contract/index.js';
import { ofTypes } from '../journal/journal.js';
import { isExclusive } from '../policy/cascade.js';
import type { Decision, InquiryFacts, Judged, PolicySettings } from '../policy/index.js';
import { policySettings } from './policy-settings.js';
import type { SessionSpec } from './spec.js';

export interface SessionPolicy {
  /** `covered`: who allowed the very call whose result this is. */
  route(inquiry: Inquiry, presence: Presence, covered?: By): Promise<Decision>;
  /** Why no other agent may be asked about it, not even for a suggestion. */
  never(inquiry: Inquiry): Promise<RuleRef | undefined>;
  /** Only a person may answer it: the user's setting, else the asker's flag. */
  exclusive(inquiry: Parameters<typeof isExclusive>[1]): boolean;
  /** What rules, grants and trust alone say of it. */
  judged(inquiry: InquiryFacts): Promise<Judged>;
  /** Something will have to be judged soon: loads what that needs. */
  warmUp(): void;
  /** Grants are added as they are given. */
  readonly settings: Readonly<PolicySettings>;
  /** Whether the rules alone allow this call, with what `given` would have come to for the session. */
  allows(call: { tool: string; input: unknown }, given: Inquiry[]): Promise<boolean>;
  /** What the hat that is worn now may not do, beyond the session's own rules. */
  wear(rules: SessionSpec['rules']): void;
  /** Remembers "allow for this session": the rules it comes to, none where nothing lasting can be granted. */
  grant(inquiry: Inquiry): Promise<string[]>;
  /** What "allow for this session" would mean. */
  offer(inquiry: Inquiry): Promise<string[]>;
}

const loadRules = once(() => import('../policy/index.js'));

/** What a later judgement needs, kept at hand without the memory it will take. */
export const holdRules = async (): Promise<void> => (await loadRules()).holdShell();

export function createPolicy(spec: SessionSpec, before: Iterable<Entry>): SessionPolicy {
  const settings: PolicySettings = policySettings(spec);
  const rules = async () => {
    const { grantFor, judge, loadShell, makeResolver, neverConsulted, route } = await loadRules();
    // Without the grammar no command can be read, and what cannot be read is never allowed by a rule.
    const shell = await loadShell().catch(() => undefined);
    return {
      grantFor,
      judge,
      neverConsulted,
      route,
      tools: { shell, resolvePath: makeResolver(linkTarget), exists: existsSync },
    };
  };
  const offer = async (inquiry: Inquiry) => {
    const { grantFor, tools } = await rules();
    return grantFor(inquiry, settings, tools)?.rules ?? [];
  };
  const grant = async (inquiry: Inquiry) => {
    const offered = await offer(inquiry);
    const fresh = offered.filter((rule) => !settings.grants.some((known) => known.text === rule));
    settings.grants.push(...fresh.map((text) => ({ text, source: 'this session' })));
    return offered;
  };
  // A continued session keeps what was granted before: in order, before the first new inquiry is judged.
  const restored = granted(before).reduce(
    (done, inquiry) => done.then(() => grant(inquiry)),
    Promise.resolve([] as string[]),
  );
  return {
    async route(inquiry, presence, covered) {
      await restored;
      const { route, tools } = await rules();
      return route(inquiry, presence, settings, tools, covered);
    },
    async never(inquiry) {
      const { judge, neverConsulted, tools } = await rules();
      return neverConsulted(inquiry, judge(inquiry, settings, tools), settings);
    },
    async judged(inquiry) {
      await restored;
      const { judge, tools } = await rules();
      return judge(inquiry, settings, tools);
    },
    settings,
    exclusive: (inquiry) => isExclusive(settings, inquiry),
    warmUp: () => void rules().catch(() => undefined), // it fails again where it is told
    async allows({ tool, input }, given) {
      await restored;
      const { judge, tools } = await rules();
      const offered = (await Promise.all(given.map(offer))).flat();
      const grants = [...settings.grants, ...offered.map((text) => ({ text, source: 'the agent’s own dialog' }))];
      const { settled } = judge({ kind: 'run', tool, input, exclusive: false }, { ...settings, grants }, tools);
      return settled?.verdict.kind === 'allow';
    },
    wear(rules) {
      settings.rules = [...spec.rules, ...rules];
    },
    grant,
    offer,
  };
}

/** What a person allowed for the session before it was interrupted. */
function granted(before: Iterable<Entry>): Inquiry[] {
  const opened = new Map<string, Inquiry>();
  const found: Inquiry[] = [];
  for (const entry of ofTypes(before, ['inquiry.opened', 'inquiry.answered', 'inquiry.closed'])) {
    if (entry.type === 'inquiry.opened') opened.set(entry.data.inquiry.id, entry.data.inquiry);
    else if (entry.type === 'inquiry.closed') opened.delete(entry.data.inquiry);
    else if (entry.data.answer.scope === 'session' && entry.data.answer.verdict.kind === 'allow') {
      const inquiry = opened.get(entry.data.answer.inquiry);
      if (inquiry) found.push(inquiry);
    }
  }
  return found;
}

/** Where a symbolic link points; undefined for everything else. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // not a link, or not there yet: both are what they are called
  }
}
