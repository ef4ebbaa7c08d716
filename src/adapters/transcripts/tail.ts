/**
 * What all transcripts have in common: a file of JSON lines that grows, read line by line into what was said. Owns the
 * lines (cut by chunks, torn, too long, not JSON) and the count of what was not understood; the agents' own files know the
 * records. History – what was written before this launch – is read too, so that it is known and not told again.
 */
import type { AgentOutput, Decoder } from '../../contract/index.js';
import { ndjson, type Row } from '../decoders/ndjson.js';

/** Reads records in the order of the file; undefined: not understood. */
export interface RecordReader {
  read(row: Row): AgentOutput[] | undefined;
  /** Nothing more came for a while: what waited for an earlier record is told as it is. */
  flush(): AgentOutput[];
}

/** One conversation's reader, for all files it is spread over. */
export interface TranscriptReader {
  /** A file from its beginning; each has its own cut lines. */
  file(): TranscriptFile;
  flush(): AgentOutput[];
  /** Records skipped because nobody here knows them. */
  readonly unknown: number;
}

export interface TranscriptFile {
  /** Contract: bytes in order, cut anywhere. `history`: known from now on, told to nobody. */
  feed(chunk: Uint8Array, options?: { history: boolean }): AgentOutput[];
}

export function transcriptReader(records: RecordReader): TranscriptReader {
  let unknown = 0;
  const known = (output: AgentOutput): boolean => {
    if (output.kind !== 'unknown') return true;
    unknown += 1;
    return false;
  };
  return {
    file() {
      const lines: Decoder = ndjson((row) => records.read(row));
      return {
        feed(chunk, { history } = { history: false }) {
          const outputs = lines.feed(chunk).filter(known);
          if (!history) return outputs;
          // What waits for its parent is history as well.
          records.flush();
          return [];
        },
      };
    },
    flush: () => records.flush().filter(known),
    get unknown() {
      return unknown;
    },
  };
}

/** Remembers names, but not for ever: a session of months must not fill the memory. */
export function remembered(most = 50_000): { add(name: string): boolean; has(name: string): boolean } {
  const names = new Set<string>();
  return {
    has: (name) => names.has(name),
    /** False if it was known. */
    add(name) {
      if (names.has(name)) return false;
      names.add(name);
      if (names.size > most) names.delete(names.values().next().value!);
      return true;
    },
  };
}
