/**
 * An open inquiry as a person reads and answers it: who asks and what happens next, what it wants, the thing itself, why, and
 * the buttons right below it. What is shown is what is signed. Once settled it is one line in the same place.
 */
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Card } from '../../contract/page.js';
import { type Deed, deedsOf, isCut, isUnread } from '../model/answering.js';
import { type Answering, answering, give, sendAgain } from '../model/answers.js';
import { nextStep } from '../model/next-step.js';
import { outcomeWords } from '../model/outcome-words.js';
import { inquiryPath, route, sessionPath } from '../model/routes.js';
import { device, mayI, now, type SessionRow, settled } from '../model/store.js';
import { seenText } from '../model/visible.js';
import { span } from '../model/words.js';
import { CardActions } from './card-actions.js';
import { GivenFor, Lost, Suggestion, Why } from './card-grounds.js';
import { onEditKey } from './card-keys.js';
import { type CardSheet, OpenSheet } from './card-sheets.js';
import { Icon } from './icons.js';
import { LivePicture } from './live-picture.js';
import { Questions } from './options.js';
import { OutsideText } from './outside-text.js';
import { shieldClick, useShield } from './shield.js';
import { Swallowed } from './swallowed.js';
import { useSwipe } from './swipe.js';
import { Thing } from './thing.js';

export interface InquiryCardProps {
  card: Card;
  row: SessionRow | undefined;
  place: 'rail' | 'sheet' | 'chat';
  /** It was open here, and is not any more. */
  gone?: boolean;
}

export function InquiryCard({ card: told, row, place, gone = false }: InquiryCardProps) {
  const ref = useRef<HTMLElement>(null);
  const title = useId();
  const state = answering(told).value;
  const outcome = outcomeWords(state.phase, {
    settled: settled.value.get(told.inquiry.id),
    me: device.value?.name,
  });
  const isOver = outcome !== undefined || gone;
  const { id } = told.inquiry;
  const isGrown = place === 'sheet' || (place === 'rail' && route.value.inquiry === id);
  useShield(ref, `${state.card.digest} ${state.phase.is === 'changed'} ${isOver}`);
  const sheet = useSignal<CardSheet | undefined>(undefined);
  const deeds = mayI('answer') && !isOver ? deedsOf(state.card, mayI('type')) : new Set<Deed>();
  useSwipe(ref, () => {
    if (deeds.has('deny')) sheet.value = 'deny';
    else if (deeds.has('else')) sheet.value = 'else';
  });
  useEffect(() =>
    onEditKey(ref.current, () => {
      if (deeds.has('edit')) sheet.value = 'edit';
    }),
  );
  // Opened from elsewhere it is the one that is meant: where it can be seen, and where keys go.
  useEffect(() => {
    if (!isGrown || place !== 'rail') return;
    ref.current?.focus({ preventScroll: true });
    ref.current?.scrollIntoView({ block: 'start' });
  }, [isGrown, place]);
  // A sheet of what is no longer there would answer nothing.
  useEffect(() => {
    if (isOver) sheet.value = undefined;
  }, [isOver, sheet]);
  return (
    <article
      ref={ref}
      class="inquiry"
      data-card={id}
      data-place={place}
      data-kind={told.inquiry.kind}
      data-over={isOver}
      data-grown={isGrown}
      data-phase={state.phase.is}
      aria-labelledby={title}
      tabIndex={-1}
      onClickCapture={shieldClick}
    >
      {isOver ? (
        <Settled card={told} row={row} words={outcome?.words ?? 'No longer open'} title={title} state={state} />
      ) : (
        <OpenCard
          {...{ state, row, place, isGrown, deeds, title, sheet: sheet.value, article: ref }}
          onSheet={(next) => (sheet.value = next)}
        />
      )}
    </article>
  );
}

interface OpenCardProps {
  state: Answering;
  row: SessionRow | undefined;
  place: InquiryCardProps['place'];
  isGrown: boolean;
  deeds: ReadonlySet<Deed>;
  title: string;
  sheet: CardSheet | undefined;
  article: RefObject<HTMLElement | null>;
  onSheet: (sheet: CardSheet | undefined) => void;
}

function OpenCard({ state, row, place, isGrown, deeds, title, sheet, article, onSheet }: OpenCardProps) {
  const { card, draft, phase } = state;
  const { id } = card.inquiry;
  const isPlan = card.view.shape === 'plan';
  const onDeed = (deed: Deed): void => {
    void give(id, deed).then(() => {
      if (answering(card).peek().phase.is !== 'refused') onSheet(undefined);
    });
  };
  const canMore = deeds.has('stop') || deeds.has('edit') || (deeds.size > 0 && card.why?.line !== undefined);
  return (
    <>
      <div class="card-body">
        <CardHead card={card} row={row} />
        <div class="card-title">
          <h3 id={title}>
            {place === 'sheet' ? (
              <OutsideText text={card.view.title} />
            ) : (
              <a href={inquiryPath(card.inquiry.session, id)} data-do="open">
                <OutsideText text={card.view.title} />
              </a>
            )}
          </h3>
          {canMore && (
            <button
              class="button quiet icon"
              type="button"
              data-do="more"
              aria-label="More"
              onClick={() => onSheet('more')}
            >
              <Icon name="more" />
            </button>
          )}
        </div>
        {phase.is === 'changed' && (
          <p class="changed" role="alert">
            This changed while you looked. Nothing was answered; this is how it stands now.
          </p>
        )}
        {isUnread(card) ? (
          <LivePicture session={card.inquiry.session} first={textOf(card.view)} />
        ) : (
          <Thing key={`${card.digest} ${isGrown}`} view={card.view} unfolded={isGrown} />
        )}
        {card.inquiry.kind === 'question' && (
          <Questions card={card} draft={draft} readOnly={!deeds.has('answer')} place={place} />
        )}
        <Why card={card} />
        <Lost card={card} />
        <GivenFor card={card} />
        <Suggestion card={card} onTake={deeds.has('take') ? () => onDeed('take') : undefined} />
      </div>
      <div class="card-foot">
        {deeds.size > 0 && <Swallowed of={article} />}
        <PhaseNote state={state} inSheet={sheet !== undefined} />
        {deeds.size > 0 && <CardActions {...{ card, draft, phase, deeds, isPlan, onDeed, onSheet }} />}
        {isCut(card) && (
          <p class="note">
            Too long to be shown whole: it can be denied here. To allow it, look at it on the machine:{' '}
            <code>reins answer {id} allow</code>
          </p>
        )}
        {isUnread(card) && (
          <div class="actions">
            <a class="button primary" href={sessionPath(card.inquiry.session, 'terminal')} data-do="terminal">
              Open the terminal
            </a>
          </div>
        )}
      </div>
      {sheet !== undefined && deeds.size > 0 && (
        <OpenSheet
          {...{ card, draft, sheet, deeds, isPlan, onDeed, onSheet }}
          wrong={phase.is === 'refused' ? `${phase.message} ${phase.hint}`.trim() : undefined}
        />
      )}
    </>
  );
}

const textOf = ({ spans = [] }: Card['view']): string => spans.map(({ text }) => text).join('');

function CardHead({ card, row }: { card: Card; row: SessionRow | undefined }) {
  const { inquiry } = card;
  const next = nextStep(inquiry, { now: now.value, agent: row?.agent ?? 'the agent' });
  return (
    <p class="card-head">
      <a class="card-session" href={sessionPath(inquiry.session)}>
        <OutsideText text={row?.name ?? inquiry.session} />
      </a>
      {row !== undefined && <span>{seenText(row.agent)}</span>}
      {inquiry.parent !== undefined && <span>sub-agent</span>}
      <time dateTime={inquiry.opened_at}>{span(now.value - Date.parse(inquiry.opened_at))}</time>
      <span class="next" data-next data-soon={next.soon}>
        {next.words}
      </span>
    </p>
  );
}

function PhaseNote({ state: { card, phase }, inSheet }: { state: Answering; inSheet: boolean }) {
  if (phase.is === 'unsent')
    return (
      <div class="unsent" role="alert">
        <p>
          Not sent, or not heard of: the hub does not answer. It goes again by itself when the hub is back; twice does
          no harm.
        </p>
        <button class="button" type="button" data-do="send-again" onClick={() => void sendAgain(card.inquiry.id)}>
          Send again
        </button>
      </div>
    );
  if (phase.is === 'refused' && !inSheet)
    return (
      <p class="wrong" role="alert">
        {seenText(`${phase.message} ${phase.hint}`.trim())}
      </p>
    );
  return phase.is === 'sending' ? (
    <p class="unseen" role="status">
      Sending
    </p>
  ) : null;
}

interface SettledProps {
  card: Card;
  row: SessionRow | undefined;
  words: string;
  title: string;
  state: Answering;
}

/** One line in the same place: what became of it. */
function Settled({ card, row, words, title, state: { phase } }: SettledProps) {
  return (
    <div class="card-settled" role="status">
      <p id={title}>
        <strong>
          <OutsideText text={words} />
        </strong>{' '}
        <span class="soft">
          <OutsideText text={row?.name ?? card.inquiry.session} /> · <OutsideText text={card.view.title} />
        </span>
      </p>
      {phase.is === 'given' && phase.continue !== undefined && <p class="mono small">{seenText(phase.continue)}</p>}
    </div>
  );
}
