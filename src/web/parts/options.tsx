/**
 * A question with what can be answered to it: rows to tap, one's own words, a field for what nobody may see; several questions
 * one after the other, with a look through all of them before they leave together.
 */

import type { Card } from '../../contract/page.js';
import {
  type AnswerDraft,
  type CardQuestion,
  countPicked,
  isReview,
  ownWords,
  type Picked,
  pick,
  pickedWords,
  questionsOf,
  stepTo,
  write,
} from '../model/answering.js';
import { redraft } from '../model/answers.js';
import { count } from '../model/words.js';
import { OutsideText } from './outside-text.js';

export interface QuestionsProps {
  card: Card;
  draft: AnswerDraft;
  /** Who may only look sees what is asked, and what could be answered. */
  readOnly: boolean;
  /** Makes ids unique where one card is shown twice. */
  place: string;
}

export function Questions({ card, draft, readOnly, place }: QuestionsProps) {
  const questions = questionsOf(card);
  const id = card.inquiry.id;
  if (readOnly)
    return (
      <>
        {questions.map((question) => (
          <ReadQuestion key={question.id} question={question} />
        ))}
      </>
    );
  if (isReview(draft)) return <Review card={card} draft={draft} />;
  const at = Math.min(draft.step, questions.length - 1);
  const question = questions[at];
  if (question === undefined) return null;
  return (
    <div class="questions">
      {questions.length > 1 && <Steps id={id} draft={draft} questions={questions} />}
      <AskedOne key={question.id} {...{ id, at, question, place }} picked={draft.picked[at]!} />
    </div>
  );
}

function Steps({ id, draft, questions }: { id: string; draft: AnswerDraft; questions: CardQuestion[] }) {
  return (
    <p class="steps" aria-live="polite">
      <span>
        Question {Math.min(draft.step, questions.length - 1) + 1} of {questions.length}
      </span>
      <span class="step-dots" aria-hidden="true">
        {questions.map((question, at) => (
          <span
            key={question.id}
            data-now={at === draft.step}
            data-done={countPicked(draft.picked[at]!) > 0}
            data-of={id}
          />
        ))}
      </span>
    </p>
  );
}

interface AskedOneProps {
  id: string;
  at: number;
  question: CardQuestion;
  picked: Picked;
  place: string;
}

function AskedOne({ id, at, question, picked, place }: AskedOneProps) {
  const name = `${place}-${id}-${at}`;
  const several = question.multi;
  return (
    <fieldset class="question" data-question={question.id}>
      <legend>
        {question.header !== undefined && (
          <span class="question-head">
            <OutsideText text={question.header} />
          </span>
        )}
        <OutsideText text={question.text} lines />
      </legend>
      {several && <p class="note">Choose any number. {count(countPicked(picked), 'chosen', 'chosen')}.</p>}
      {question.options.map((option) => (
        <label key={option.id} class="option">
          <input
            type={several ? 'checkbox' : 'radio'}
            name={name}
            checked={picked.options.includes(option.id)}
            data-do="choose"
            data-option={option.id}
            onChange={() => redraft(id, (draft) => pick(draft, at, { question, option: option.id }))}
          />
          <span class="option-words">
            <span class="option-label">
              <OutsideText text={option.label} />
            </span>
            {option.description !== undefined && (
              <span class="option-about">
                <OutsideText text={option.description} lines />
              </span>
            )}
          </span>
        </label>
      ))}
      {question.free_text && <OwnWords {...{ id, at, question, picked, name }} />}
    </fieldset>
  );
}

function OwnWords({ id, at, question, picked, name }: Omit<AskedOneProps, 'place'> & { name: string }) {
  const alone = question.options.length === 0;
  if (question.secret) return <SecretField {...{ id, at, question, picked, name }} />;
  const field = (
    <textarea
      class="field own-words"
      rows={alone ? 3 : 2}
      value={picked.text}
      placeholder={alone ? 'Your answer' : 'In my own words'}
      aria-label={alone ? 'Your answer' : 'In my own words'}
      data-do="own-words"
      onInput={({ currentTarget }) => redraft(id, (draft) => write(draft, at, { question, text: currentTarget.value }))}
    />
  );
  if (alone) return field;
  return (
    <>
      <label class="option own">
        <input
          type={question.multi ? 'checkbox' : 'radio'}
          name={name}
          checked={picked.own}
          data-do="own"
          onChange={({ currentTarget }) =>
            redraft(id, (draft) => ownWords(draft, at, { question, own: currentTarget.checked }))
          }
        />
        <span class="option-words">
          <span class="option-label ours">In my own words</span>
        </span>
      </label>
      {picked.own && field}
    </>
  );
}

/** Masked, forgotten by the browser, and out of the page once it is sent. */
function SecretField({ id, at, question, picked, name }: Omit<AskedOneProps, 'place'> & { name: string }) {
  return (
    <div class="secret">
      <input
        class="field"
        type="password"
        id={name}
        value={picked.text}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        data-1p-ignore
        data-lpignore="true"
        aria-label="Secret answer"
        aria-describedby={`${name}-note`}
        data-do="secret"
        onInput={({ currentTarget }) =>
          redraft(id, (draft) => write(draft, at, { question, text: currentTarget.value }))
        }
      />
      <p class="note" id={`${name}-note`}>
        Goes to the program that asks. Not stored, not shown to a model.
      </p>
    </div>
  );
}

function Review({ card, draft }: { card: Card; draft: AnswerDraft }) {
  const id = card.inquiry.id;
  return (
    <div class="review">
      <p class="steps">Your answers</p>
      <ul>
        {questionsOf(card).map((question, at) => (
          <li key={question.id}>
            <button
              class="review-row"
              type="button"
              data-do="step"
              onClick={() => redraft(id, (now) => stepTo(now, at))}
            >
              <span class="review-asked">
                <OutsideText text={question.text} />
              </span>
              <ReviewWords words={pickedWords(question, draft.picked[at]!)} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function ReviewWords({ words }: { words: string[] }) {
  if (words.length === 0) return <span class="review-none">no answer yet</span>;
  return (
    <span class="review-said">
      <OutsideText text={words.join(', ')} />
    </span>
  );
}

function ReadQuestion({ question }: { question: CardQuestion }) {
  return (
    <div class="question">
      <p class="question-read">
        <OutsideText text={question.text} lines />
      </p>
      <ul class="read-options">
        {question.options.map((option) => (
          <li key={option.id}>
            <OutsideText text={option.label} />
          </li>
        ))}
      </ul>
    </div>
  );
}
