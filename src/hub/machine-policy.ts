/** Who answers on this machine where no rule has decided, for Settings: read anew each time, because the file may have changed. */
import type { RouteResult } from '../contract/page.js';
import type { Where } from '../sessions/index.js';
import { userPolicy } from '../sessions/run.js';

const SIDES = ['attached', 'reachable', 'detached'] as const;
const KINDS = ['run', 'question', 'deliver'] as const;

/** Contract: throws CONFIG_INVALID where the user's own file cannot be read as settings. */
export function machinePolicy(where: Where): RouteResult<'policy'> {
  const policy = userPolicy(where);
  const ladders = SIDES.flatMap((when) =>
    KINDS.map((kind) => {
      const { ladder, via, source } = policy[when][kind];
      return { when, kind, steps: ladder.map((step) => ({ ...step })), via, source };
    }),
  );
  return { ladders, on_no_answer: policy.on_no_answer.value, trust: policy.trust, rules: policy.rules };
}
