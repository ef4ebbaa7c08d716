/** new. */
export function NewView() {
  return <div class="view" data-view="new" />;
}
