/**
 * What takes longest is begun first: begun last, one of them would run alone while the other workers have nothing to do. A fresh
 * clone knows nothing of an earlier run, and vitest would begin with the largest file.
 */
import { existsSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** `names`: from the longest on, relative to the project's folder. Throws for one that is not there. */
export function longestFirst(names: readonly string[]): typeof BaseSequencer {
  const unknown = names.filter((name) => !existsSync(new URL(name, import.meta.url)));
  if (unknown.length > 0) throw new Error(`the longest tests are not there: ${unknown.join(', ')}`);
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const rank = ({ moduleId }: TestSpecification): number => {
        const at = names.findIndex((name) => moduleId.endsWith(`/${name}`));
        return at === -1 ? names.length : at;
      };
      return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
    }
  };
}
