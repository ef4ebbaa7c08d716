/**
 * Which real agents the lab runs, pinned: a version bump is one line here. Facts in the adapters were measured with
 * these. All install with `--ignore-scripts`; claude's post-install only copies its native program to where npm's link
 * points, so the lab starts that program where it lies.
 */
export type LabAgent = 'claude' | 'codex' | 'gemini';

export interface Pinned {
  package: string;
  version: string;
  /** Older ones that most people may still have: a part of the lab runs on them too (vitest.lab.config.ts). */
  also?: readonly string[];
  /** The program inside the installed folder; `*` stands for one path segment (platform packages). First hit counts. */
  programs: string[];
}

export const versions: Record<LabAgent, Pinned> = {
  claude: {
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    also: ['2.1.197'],
    programs: ['node_modules/@anthropic-ai/claude-code-*/claude'],
  },
  codex: {
    package: '@openai/codex',
    version: '0.166.0',
    programs: ['node_modules/@openai/codex-*/vendor/*/bin/codex', 'node_modules/.bin/codex'],
  },
  gemini: {
    package: '@google/gemini-cli',
    version: '0.61.0',
    programs: ['node_modules/.bin/gemini'],
  },
};

/** As pinned, or as `REINS_LAB_VERSIONS` says (`claude=2.1.325,codex=0.150.0`): the same rehearsals on other versions. */
export function pinnedIn(env: NodeJS.ProcessEnv, agent: LabAgent): Pinned {
  const said = (env.REINS_LAB_VERSIONS ?? '').split(',').map((pair) => pair.trim().split('='));
  const version = said.find(([name]) => name === agent)?.[1];
  return version && /^\d[\w.+-]*$/.test(version) ? { ...versions[agent], version } : versions[agent];
}
