/**
 * What a terminal in a page says by itself and nobody typed: answers to the agent's questions, and whether it has the focus. The
 * session's own terminal answers those; two answers would be typed into the agent's input.
 */
const REPLIES = [
  /^\x1b\[[IO]$/, // focus came, focus went
  /^\x1b\[[?>=]?[\d;]*c$/, // device attributes
  /^\x1b\[\??[\d;]+R$/, // where the cursor is
  /^\x1b\[\??[\d;]*n$/, // status
  /^\x1b\[\?[\d;]*\$y$/, // a mode
  /^\x1b\[[\d;]+\$y$/,
  /^\x1b\[[468];[\d;]+t$/, // sizes
  /^\x1b[P\]_^][\s\S]*(\x1b\\|\x07|\x9c)$/, // strings: colours, settings, versions
];

export const isReply = (data: string): boolean => data.startsWith('\x1b') && REPLIES.some((reply) => reply.test(data));
