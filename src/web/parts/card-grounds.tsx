/** What a person goes by: why it asks, what somebody suggests, what was decided before, and an answer already given in their place. */

import { nameOf } from '../../contract/index.js';
import type { Card } from '../../contract/page.js';
import type { CardInquiry } from '../model/answering.js';
import { CopyLine } from './copy-line.js';
import { OutsideText } from './outside-text.js';

type Suggested = NonNullable<CardInquiry['suggestion']>;

/** `PostgreSQL`, by the labels of the options; several questions with their ids. */
export function verdictWords({ questions = [] }: CardInquiry, { verdict }: Pick<Suggested, 'verdict'>): string {
  if (verdict.kind !== 'values') return verdict.kind;
  return questions
    .map(({ id, options }) => {
      const said = Object.hasOwn(verdict.values, id) ? verdict.values[id]! : [];
      const labels = said.map((value) => options.find((option) => option.id === value)?.label ?? value).join(', ');
      return questions.length > 1 ? `${id}: ${labels}` : labels;
    })
    .join('; ');
}

const whoIs = (by: Suggested['by']): string => (by.kind === 'consultant' ? by.adapter : nameOf(by));

export function Why({ card }: { card: Card }) {
  const { reason, parent } = card.inquiry;
  return (
    <>
      {reason !== undefined && reason !== '' && (
        <p class="ground" data-ground="reason">
          <span class="ground-word">because</span> <OutsideText text={reason} lines />
        </p>
      )}
      {parent !== undefined && (
        <p class="ground" data-ground="sub-agent">
          <span class="ground-word">sub-agent</span> <OutsideText text={parent} />
        </p>
      )}
      {card.why !== undefined && (
        <p class="ground" data-ground="rule">
          <span class="ground-word">rule</span> <OutsideText text={card.why.rule} />
        </p>
      )}
      {card.history !== undefined && (
        <p class="ground" data-ground="history">
          <span class="ground-word">before</span> <OutsideText text={card.history} lines />
        </p>
      )}
    </>
  );
}

export function Suggestion({ card, onTake }: { card: Card; onTake: (() => void) | undefined }) {
  const { suggestion } = card.inquiry;
  if (suggestion === undefined) return null;
  return (
    <div class="suggestion" data-ground="suggestion">
      <p>
        <Proposed inquiry={card.inquiry} suggestion={suggestion} /> <Grounds of={suggestion} />
      </p>
      {onTake !== undefined && (
        <button class="button" type="button" data-do="take" onClick={onTake}>
          Take it
        </button>
      )}
    </div>
  );
}

function Proposed({ inquiry, suggestion }: { inquiry: CardInquiry; suggestion: Suggested }) {
  return (
    <>
      {whoIs(suggestion.by)} would answer{' '}
      <strong>
        <OutsideText text={verdictWords(inquiry, suggestion)} />
      </strong>
    </>
  );
}

/** `(0.82): it is what the plan says` with what it rests on. */
function Grounds({
  of: { confidence, reason, cites = [] },
}: {
  of: Pick<Suggested, 'confidence' | 'reason' | 'cites'>;
}) {
  return (
    <>
      {confidence !== undefined && <span class="soft">({confidence.toFixed(2)})</span>}
      {reason !== undefined && (
        <span class="grounds-reason">
          {' '}
          <OutsideText text={reason} lines />
        </span>
      )}
      {cites.map((cite) => (
        <span key={`${cite.source} ${cite.quote ?? ''}`} class="cite">
          <OutsideText text={cite.name} />
          {cite.quote !== undefined && (
            <q>
              <OutsideText text={cite.quote} />
            </q>
          )}
          {cite.changed && <em> the asking agent changed it: it proves little</em>}
        </span>
      ))}
    </>
  );
}

/** Given for the user and not yet told: another answer replaces it. */
export function GivenFor({ card }: { card: Card }) {
  const { answer } = card.inquiry;
  if (answer === undefined) return null;
  return (
    <div class="suggestion" data-ground="answer">
      <p>
        {whoIs(answer.by)} answered{' '}
        <strong>
          <OutsideText text={verdictWords(card.inquiry, answer)} />
        </strong>{' '}
        for you; the agent is not told yet. Your answer replaces it. <Grounds of={answer} />
      </p>
    </div>
  );
}

export function Lost({ card }: { card: Card }) {
  if (card.inquiry.lost !== true) return null;
  return (
    <div class="lost" data-ground="lost">
      <p>Its host is gone. An answer is kept, and given when the session goes on and the agent asks the same again.</p>
      {card.inquiry.continue !== undefined && <CopyLine line={card.inquiry.continue} name="continue" />}
    </div>
  );
}
