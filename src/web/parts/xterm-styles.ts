/**
 * xterm writes its rules into `<style>` elements and colours into `style` attributes, which our Content-Security-Policy
 * (`style-src 'self'`) forbids, and rightly. While a terminal is open the document therefore hands out stand-ins: text of a style
 * becomes a constructed style sheet, the attribute becomes properties. Both are ways a policy does not need to know of (decision 061).
 */

/** Looks like a `<style>` to who fills it; its text becomes a sheet of the document, and goes with it. */
function styleStandIn(document: Document): HTMLElement {
  const sheet = new CSSStyleSheet();
  const element = Document.prototype.createElement.call(document, 'span') as HTMLElement;
  element.hidden = true;
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Object.defineProperty(element, 'textContent', { set: (rules: string) => sheet.replaceSync(rules) });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}

function created(document: Document, name: string): HTMLElement {
  if (name === 'style') return styleStandIn(document);
  const element = Document.prototype.createElement.call(document, name) as HTMLElement;
  if (name === 'span') element.setAttribute = setAttribute;
  return element;
}

let open = 0;

/**
 * From now on until the answer is called, and for every terminal that is open meanwhile. xterm takes the page's own document,
 * whatever it is told; nobody else here makes elements by this way (Preact has another).
 */
export function standIns(document: Document): () => void {
  open += 1;
  document.createElement = ((name: string) => created(document, name)) as Document['createElement'];
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    open -= 1;
    if (open === 0) Reflect.deleteProperty(document, 'createElement');
  };
}
