/** What did not work, in the hub's own words, and what to do. */
export function Wrong({ words, hint }: { words: string; hint: string }) {
  return (
    <div class="went-wrong" role="alert">
      <p>{words}</p>
      {hint !== '' && <p class="soft small">{hint}</p>}
    </div>
  );
}
