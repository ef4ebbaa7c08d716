/** Words of ours with commands between backticks, which are drawn as what can be typed. */
export const Ticked = ({ text }: { text: string }) => (
  <>{text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>
);
