/** What the asker and its dialogs say to each other. A dialog is data; a key gives the next data and perhaps a deed. */
import type { CommandArgs } from '../../contract/index.js';
import type { Row, Size } from './draw.js';

/** An answer in the host's words. `input` alone means: allow, with this input instead. */
export type Given = Omit<CommandArgs<'answer'>, 'inquiry'>;

export type Does =
  | { do: 'answer'; given: Given; summary: Row }
  /** The text is long: a real editor should have it. */
  | { do: 'edit-file'; text: string; suffix: string };

export interface Step<State> {
  state: State;
  does?: Does;
}

/** What a dialog is drawn into. */
export interface Around {
  size: Size;
  title: Row;
}

/** Whether a text is being typed, and what Enter does with it: it `says` something, or it `allows` what it says. */
export type Typing = 'no' | 'says' | 'allows';
