/** Whoever starts a session, as this room knows them: told things, and asked where a person is there to be asked. */

export interface StartPorts {
  /** Only looked at: what is agreed to counts for this look, and is not written down. */
  looks?: true;
  /** One line for a person, as plain text; part of it may come from outside. */
  tell(line: string, weight?: 'warning'): void;
  /** Follow the file that came with the folder, or was changed since the session began, and says this? Absent, or undefined for an answer: nobody is there. */
  mayFollow?(file: string, permits: string[], since?: 'changed'): Promise<boolean | undefined>;
  /** May this start with the agent? The same. */
  mayStart?(agent: string, starts: string[]): Promise<boolean | undefined>;
  /** Start a loop where these work already? The same. */
  mayShare?(others: string[]): Promise<boolean | undefined>;
  /** Whether who starts may be told which this one is, that works in the same folder; of all, unless said. */
  mayKnow?(session: { id: string; namespace?: string | undefined }): boolean;
  /** Run these programs to write the files of a worktree? The same. */
  mayFilter?(runs: string[]): Promise<boolean | undefined>;
}

/** Nobody to tell or to ask. */
export const QUIET: StartPorts = { tell: () => undefined };
