/** Builds as a user installs them: a prefix of one's own, which an upgrade replaces and an uninstall removes. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { World } from './world.js';

const ROOT = join(import.meta.dirname, '../../..');
const RELEASED = join(ROOT, 'test/fixtures/reins-0.1.0.tgz');

export interface Build {
  /** Its command line, for `CliOptions.cli`. */
  cli: string;
  version: string;
}

export class Prefix {
  readonly dir: string;
  readonly #package: string;

  constructor(world: World, name = 'prefix') {
    this.dir = join(world.root, name);
    this.#package = join(this.dir, 'lib/node_modules/reins');
  }

  /** The last released build, in the place of whatever is installed here. */
  released(): Build {
    this.#make();
    execFileSync('tar', ['-xzf', RELEASED, '--strip-components=1', '-C', this.#package]);
    return this.#installed();
  }

  /** The build of this tree, in the place of whatever is installed here; `version` is what it calls itself. */
  current({ version }: { version?: string } = {}): Build {
    this.#make();
    cpSync(join(ROOT, 'dist'), join(this.#package, 'dist'), { recursive: true });
    const about = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as object;
    writeFileSync(join(this.#package, 'package.json'), JSON.stringify({ ...about, ...(version ? { version } : {}) }));
    return this.#installed();
  }

  /** A Node of this prefix: version managers keep one in each, and remove it with the rest. */
  node(): string {
    const node = join(this.dir, 'bin/node');
    mkdirSync(dirname(node), { recursive: true });
    try {
      linkSync(process.execPath, node);
    } catch {
      copyFileSync(process.execPath, node); // on another disk
    }
    return node;
  }

  /** As `npm uninstall -g`: nothing of it is left. */
  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  #make(): void {
    this.remove();
    mkdirSync(this.#package, { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(this.#package, 'node_modules'));
  }

  #installed(): Build {
    const { version } = JSON.parse(readFileSync(join(this.#package, 'package.json'), 'utf8')) as { version: string };
    return { cli: join(this.#package, 'dist/cli/main.js'), version };
  }
}
