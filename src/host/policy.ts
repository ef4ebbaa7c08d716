/**
 * The policy of one session: settings from the config, grants given while it runs (and before, if it is continued), and
 * the shell parser, loaded when the first command has to be judged.
 */
import { readlinkSync } from 'node:fs';
import type { Entry, Inquiry, Presence } from '../contract/index.js';
import { type Decision, grantFor, loadShell, makeResolver, type PolicySettings, route } from '../policy/index.js';
import { policySettings } from './policy-settings.js';
import type { SessionSpec } from './spec.js';

export interface SessionPolicy {
  route(inquiry: Inquiry, presence: Presence): Promise<Decision>;
  /** Remembers "allow for this session": the rules it comes to, none where nothing lasting can be granted. */
  grant(inquiry: Inquiry): Promise<string[]>;
  /** What "allow for this session" would mean. */
  offer(inquiry: Inquiry): Promise<string[]>;
}

export function createPolicy(spec: SessionSpec, before: Entry[]): SessionPolicy {
  const settings: PolicySettings = policySettings(spec);
  // Without the grammar no command can be read, and what cannot be read is never allowed by a rule.
  const shell = async () => loadShell().catch(() => undefined);
  const tools = async () => ({ shell: await shell(), resolvePath: makeResolver(linkTarget) });
  const offer = async (inquiry: Inquiry) => grantFor(inquiry, settings, await tools())?.rules ?? [];
  const grant = async (inquiry: Inquiry) => {
    const rules = await offer(inquiry);
    const fresh = rules.filter((rule) => !settings.grants.some((known) => known.text === rule));
    settings.grants.push(...fresh.map((text) => ({ text, source: 'this session' })));
    return rules;
  };
  // A continued session keeps what was granted before: in order, before the first new inquiry is judged.
  const restored = granted(before).reduce(
    (done, inquiry) => done.then(() => grant(inquiry)),
    Promise.resolve([] as string[]),
  );
  return {
    async route(inquiry, presence) {
      await restored;
      return route(inquiry, presence, settings, await tools());
    },
    grant,
    offer,
  };
}

/** What a person allowed for the session before it was interrupted. */
function granted(before: Entry[]): Inquiry[] {
  const opened = new Map<string, Inquiry>();
  const found: Inquiry[] = [];
  for (const entry of before) {
    if (entry.type === 'inquiry.opened') opened.set(entry.data.inquiry.id, entry.data.inquiry);
    if (entry.type !== 'inquiry.answered' || entry.data.answer.scope !== 'session') continue;
    const inquiry = opened.get(entry.data.answer.inquiry);
    if (inquiry && entry.data.answer.verdict.kind === 'allow') found.push(inquiry);
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
