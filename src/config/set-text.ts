/** One value put into the text of a config file, comments and order kept. The text is the user's own: what is not YAML is not touched. */
import { throwProblems } from './problems.js';
import { isMap, parseDocument } from './yaml.js';

/** Throws CONFIG_INVALID for what is no YAML, or where something else stands in the way. */
export function setInText(text: string, change: { file: string; path: string[]; value: unknown }): string {
  const { file, path, value } = change;
  const doc = parseDocument(text, { logLevel: 'silent' });
  const [error] = doc.errors;
  const why = error?.message ?? inTheWay(doc, path);
  if (why !== undefined) throwProblems([`${file}: ${why.split('\n')[0]}`]);
  doc.setIn(path, value);
  return doc.toString({ lineWidth: 0, flowCollectionPadding: text.includes('{ ') });
}

function inTheWay(doc: ReturnType<typeof parseDocument>, path: string[]): string | undefined {
  if (doc.contents !== null && !isMap(doc.contents)) return 'it does not begin with keys';
  for (let depth = 1; depth < path.length; depth += 1) {
    const at = doc.getIn(path.slice(0, depth), true);
    if (at !== undefined && at !== null && !isMap(at)) return `${path.slice(0, depth).join('.')} is not a map of keys`;
  }
  return undefined;
}
