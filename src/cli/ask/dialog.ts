/** What the asker and its dialogs say to each other. A dialog is data; a key gives the next data and perhaps a deed. */
import type { CommandArgs, Suggestion } from '../../contract/index.js';
import type { DialogSize, SpanRow } from './draw.js';

/** An answer in the host's words. `input` alone means: allow, with this input instead. */
export type AnswerArgs = Omit<CommandArgs<'answer'>, 'inquiry'>;

export type Does =
  | { do: 'answer'; given: AnswerArgs; summary: SpanRow }
  /** The text is long: a real editor should have it. */
  | { do: 'edit-file'; text: string; suffix: string };

export interface DialogStep<State> {
  state: State;
  does?: Does;
}

/** What a dialog is drawn into. */
export interface Around {
  size: DialogSize;
  title: SpanRow;
  /** What happens if nobody answers. */
  stage?: SpanRow | undefined;
  /** What was decided before on the same or a like question. */
  earlier?: SpanRow | undefined;
  /** An answer somebody has ready. */
  suggestion?: Suggestion | undefined;
}

/** Whether a text is being typed, and what Enter does with it: it `says` something, or it `allows` what it says. */
export type TypingMode = 'no' | 'says' | 'allows';
