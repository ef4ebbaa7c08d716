/** What opens from a card: the reason of a deny, the edited input, the rest of what can be done. */
import type { Card } from '../../contract/page.js';
import { type AnswerDraft, type Deed, editableText } from '../model/answering.js';
import { redraft } from '../model/answers.js';
import { CopyLine } from './copy-line.js';
import { Sheet } from './sheet.js';

/** Which of them is open. */
export type CardSheet = 'deny' | 'stop' | 'else' | 'edit' | 'more';

export interface CardSheetProps {
  card: Card;
  draft: AnswerDraft;
  sheet: CardSheet;
  deeds: ReadonlySet<Deed>;
  /** What a plan is answered with is called otherwise. */
  isPlan: boolean;
  /** What is wrong with what was tried. */
  wrong: string | undefined;
  onDeed: (deed: Deed) => void;
  onSheet: (sheet: CardSheet | undefined) => void;
}

export function OpenSheet(props: CardSheetProps) {
  if (props.sheet === 'edit') return <EditSheet {...props} />;
  if (props.sheet === 'more') return <MoreSheet {...props} />;
  return <ReasonSheet {...props} sheet={props.sheet} />;
}

const REASON = {
  deny: { title: 'Deny', label: 'Tell the agent why, if you like', button: 'Deny' },
  stop: { title: 'Deny and stop the turn', label: 'Tell the agent why, if you like', button: 'Deny and stop' },
  else: { title: 'Say something else', label: 'The question is closed, and the agent reads this', button: 'Send' },
  plan: { title: 'Change the plan', label: 'What should be different?', button: 'Send back' },
} as const;

function ReasonSheet({
  card,
  draft,
  sheet,
  isPlan,
  wrong,
  onDeed,
  onSheet,
}: CardSheetProps & { sheet: 'deny' | 'stop' | 'else' }) {
  const { title, label, button } = REASON[isPlan && sheet === 'deny' ? 'plan' : sheet];
  return (
    <Sheet title={title} name={sheet} onClose={() => onSheet(undefined)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onDeed(sheet);
        }}
      >
        <label class="sheet-label">
          {label}
          <textarea
            class="field"
            rows={3}
            data-first
            data-do="reason"
            value={draft.reason}
            maxLength={100_000}
            onInput={({ currentTarget }) =>
              redraft(card.inquiry.id, (now) => ({ ...now, reason: currentTarget.value }))
            }
            onKeyDown={(event) => {
              // As in a chat: Enter sends, Shift+Enter is a line. Not while a word is being composed.
              if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
        </label>
        <Wrong words={wrong} />
        <div class="sheet-actions">
          <button class="button" type="button" data-do="cancel" onClick={() => onSheet(undefined)}>
            Back
          </button>
          <button
            class={sheet === 'else' ? 'button primary' : 'button danger solid'}
            type="submit"
            data-do={`${sheet}-now`}
            disabled={sheet === 'else' && draft.reason.trim() === ''}
          >
            {button}
          </button>
        </div>
        <p class="note">What is sent cannot be taken back. What you write here is kept while you look again.</p>
      </form>
    </Sheet>
  );
}

function EditSheet({ card, draft, wrong, onDeed, onSheet }: CardSheetProps) {
  const { text, json } = editableText(card);
  const value = draft.edited ?? text;
  return (
    <Sheet title={json ? 'Edit the input' : 'Edit the command'} name="edit" onClose={() => onSheet(undefined)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onDeed('edit');
        }}
      >
        <textarea
          class="field mono edit-field"
          rows={Math.min(16, Math.max(4, value.split('\n').length + 1))}
          data-first
          data-do="edited"
          spellcheck={false}
          autocapitalize="off"
          autocorrect="off"
          aria-label={json ? 'Input as JSON' : 'Command'}
          value={value}
          onInput={({ currentTarget }) => redraft(card.inquiry.id, (now) => ({ ...now, edited: currentTarget.value }))}
        />
        <Wrong words={wrong} />
        <div class="sheet-actions">
          <button class="button" type="button" data-do="cancel" onClick={() => onSheet(undefined)}>
            Back
          </button>
          <button class="button primary" type="submit" data-do="edit-now" disabled={value === text}>
            Allow as edited
          </button>
        </div>
        <p class="note">The agent runs what stands here instead of what it asked for.</p>
      </form>
    </Sheet>
  );
}

function MoreSheet({ card, deeds, isPlan, onSheet }: CardSheetProps) {
  const line = card.why?.line;
  return (
    <Sheet title="More" name="more" onClose={() => onSheet(undefined)}>
      <div class="sheet-list">
        {deeds.has('edit') && !isPlan && (
          <button class="button" type="button" data-do="edit" onClick={() => onSheet('edit')}>
            Edit, then allow
          </button>
        )}
        {deeds.has('stop') && (
          <button class="button danger" type="button" data-do="stop" onClick={() => onSheet('stop')}>
            Deny and stop the turn
          </button>
        )}
        {line !== undefined && (
          <div class="always">
            <p class="sheet-label">Always: put this line into your reins.yml</p>
            <CopyLine line={line} name="always" />
          </div>
        )}
        <button class="button quiet" type="button" data-do="cancel" data-first onClick={() => onSheet(undefined)}>
          Back
        </button>
      </div>
    </Sheet>
  );
}

function Wrong({ words }: { words: string | undefined }) {
  return words === undefined ? null : (
    <p class="wrong" role="alert">
      {words}
    </p>
  );
}
