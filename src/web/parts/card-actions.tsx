/** The buttons of a card, always in the same places: refuse on the left, agree on the right. */
import type { Card } from '../../contract/page.js';
import {
  type AnswerDraft,
  answerOf,
  type Deed,
  isAnswered,
  isReview,
  questionsOf,
  stepTo,
} from '../model/answering.js';
import { type AnswerPhase, redraft } from '../model/answers.js';
import type { CardSheet } from './card-sheets.js';
import { OutsideText } from './outside-text.js';

export interface CardActionsProps {
  card: Card;
  draft: AnswerDraft;
  phase: AnswerPhase;
  deeds: ReadonlySet<Deed>;
  isPlan: boolean;
  onDeed: (deed: Deed) => void;
  onSheet: (sheet: CardSheet) => void;
}

export function CardActions(props: CardActionsProps) {
  return props.card.inquiry.kind === 'question' ? <QuestionActions {...props} /> : <PermissionActions {...props} />;
}

function PermissionActions({ card, phase, deeds, isPlan, onDeed, onSheet }: CardActionsProps) {
  const busy = phase.is === 'sending';
  const offer = card.offer ?? [];
  const session = deeds.has('allow-session') && !isPlan && (
    <button
      class="button grant"
      type="button"
      data-do="allow-session"
      aria-keyshortcuts="s"
      disabled={busy}
      onClick={() => onDeed('allow-session')}
    >
      <span>Allow for session</span>
      <span class="offer">
        {offer.map((rule) => (
          <code key={rule}>
            <OutsideText text={rule} />
          </code>
        ))}
      </span>
    </button>
  );
  return (
    <div class="actions" data-busy={busy}>
      {session}
      <button
        class="button"
        type="button"
        data-do="deny"
        aria-keyshortcuts="d"
        disabled={busy}
        onClick={() => onSheet('deny')}
      >
        {isPlan ? 'Change it…' : 'Deny'}
      </button>
      {deeds.has('allow') && (
        <button
          class="button primary"
          type="button"
          data-do="allow"
          aria-keyshortcuts="a"
          disabled={busy}
          onClick={() => onDeed('allow')}
        >
          {isPlan ? 'Go ahead' : 'Allow'}
        </button>
      )}
    </div>
  );
}

function QuestionActions({ card, draft, phase, deeds, onDeed, onSheet }: CardActionsProps) {
  const busy = phase.is === 'sending';
  const { id } = card.inquiry;
  const several = questionsOf(card).length > 1;
  const more = several && !isReview(draft);
  const move = (by: number) => redraft(id, (now) => stepTo(now, now.step + by));
  const picked = draft.picked[draft.step];
  return (
    <div class="actions of-question" data-busy={busy}>
      {several && draft.step > 0 ? (
        <button class="button" type="button" data-do="back" disabled={busy} onClick={() => move(-1)}>
          Back
        </button>
      ) : (
        deeds.has('else') && (
          <button
            class="button"
            type="button"
            data-do="else"
            aria-keyshortcuts="d"
            disabled={busy}
            onClick={() => onSheet('else')}
          >
            Say something else
          </button>
        )
      )}
      {!deeds.has('answer') ? null : more ? (
        <button
          class="button primary"
          type="button"
          data-do="next"
          disabled={busy || picked === undefined || !isAnswered(picked)}
          onClick={() => move(1)}
        >
          {draft.step === draft.picked.length - 1 ? 'Review' : 'Next'}
        </button>
      ) : (
        <button
          class="button primary"
          type="button"
          data-do="answer"
          aria-keyshortcuts="a"
          disabled={busy || 'wrong' in answerOf(card, draft, 'answer')}
          onClick={() => onDeed('answer')}
        >
          Answer
        </button>
      )}
    </div>
  );
}
