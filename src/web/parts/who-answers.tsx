/** Who answers, in Settings: what the user's own settings say, in words, with the file and the line. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RouteResult } from '../../contract/page.js';
import { ask, HubError } from '../model/api.js';
import { ladderLines, WHEN } from '../model/ladder-words.js';
import { wholeMachine } from '../model/store.js';
import { count } from '../model/words.js';
import { OutsideText } from './outside-text.js';
import { Wrong } from './wrong.js';

const policy = signal<RouteResult<'policy'> | undefined>(undefined);
const wrong = signal<{ words: string; hint: string } | undefined>(undefined);

async function look(): Promise<void> {
  try {
    policy.value = await ask('policy', {});
    wrong.value = undefined;
  } catch (error) {
    // No connection: what was known stays, and the page says that by itself.
    if (error instanceof HubError) wrong.value = { words: error.message, hint: error.hint };
  }
}

export function WhoAnswers() {
  const isMachine = wholeMachine.value;
  useEffect(() => {
    if (isMachine) void look();
  }, [isMachine]);
  const known = policy.value;
  if (!isMachine || (!known && !wrong.value)) return null;
  return (
    <section aria-labelledby="who-answers">
      <h2 class="group-title" id="who-answers">
        Who answers
      </h2>
      <div class="group form">
        {wrong.value && <Wrong {...wrong.value} />}
        {known && <Ladders {...known} />}
      </div>
    </section>
  );
}

function Ladders(known: RouteResult<'policy'>) {
  const { trust, rules } = known;
  return (
    <>
      <p class="soft small">
        Where no rule has decided ({count(rules, 'rule')} of yours), by your own settings. A session’s folder may say
        otherwise: <code>reins policy explain</code> there tells.
      </p>
      {trust.value === 'full' && (
        <p data-trust="full">
          Agents act unasked; only deny rules hold (trust: full, <OutsideText text={trust.source} />
          ).
        </p>
      )}
      {WHEN.map(([when, words]) => (
        <div key={when} data-when={when}>
          <h3>{words}</h3>
          <ul>
            {ladderLines(known, when).map((line) => (
              <li key={line.about}>
                {line.about}: {line.words}{' '}
                <span class="faint small">
                  (<OutsideText text={line.from} />)
                </span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}
