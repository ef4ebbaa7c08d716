/** Open inquiries as cards: what is asked, whole and in words, why it is asked, and what an answer for longer would mean. */
import { existsSync, readlinkSync } from 'node:fs';
import { inquiryDigest } from '../contract/digest.js';
import { DEFAULT_NAMESPACE, type Log, type LostInquiry, type SessionRow } from '../contract/index.js';
import type { Card } from '../contract/page.js';
import { policySettings, type SessionSpec } from '../host/index.js';
import { placeOf } from '../link/index.js';
import {
  explainPolicy,
  grantFor,
  judge,
  loadShell,
  makeResolver,
  neverConsulted,
  type ShownShell,
} from '../policy/index.js';
import { answeredLines, decidedLines } from '../sessions/decisions.js';
import { specOf, type Where } from '../sessions/index.js';
import { viewOf } from './views/index.js';

/** Characters of a thing that is shown whole. */
const MOST_SHOWN = 512 * 1024;
/** Of what comes with the card besides: it is shown already. */
const MOST_INPUT = 64 * 1024;
/** Inquiries whose past is held. */
const MOST_KNOWN = 200;

export interface CardPorts {
  where: Where;
  log: Log;
}

export class Cards {
  readonly #ports: CardPorts;
  readonly #shell: Promise<ShownShell | undefined>;
  readonly #before = new Map<string, string[]>();

  constructor(ports: CardPorts) {
    this.#ports = ports;
    // At once: the first card should not wait for the grammar.
    this.#shell = loadShell().catch((error: Error) => {
      ports.log.log('warn', 'commands are shown without colours', { reason: error.message });
      return undefined;
    });
  }

  /** Contract: never rejects. */
  async of(inquiry: LostInquiry, row: SessionRow | undefined): Promise<Card> {
    const spec = specOf(placeOf(this.#ports.where.env, inquiry.session));
    const shell = await this.#shell;
    const digest = await inquiryDigest(inquiry);
    const whole = JSON.stringify(inquiry);
    const isCut = whole.length > MOST_SHOWN;
    const shown = isCut ? cutInquiry(inquiry) : inquiry;
    const view = viewOf(shown, { cwd: row?.cwd ?? spec?.cwd ?? '/', shell });
    // Twice the same would be sent: what is shown is in the view.
    const lean = isCut || whole.length > MOST_INPUT ? { ...shown, input: undefined, editable: false } : shown;
    return {
      inquiry: lean,
      digest,
      view,
      ...(isCut ? { cut: true, risky: true } : {}),
      ...(spec ? this.#policy(inquiry, spec, shell) : {}),
      ...this.#history(inquiry),
    };
  }

  #policy(inquiry: LostInquiry, spec: SessionSpec, shell: ShownShell | undefined): Partial<Card> {
    try {
      const settings = policySettings(spec);
      const tools = { shell, resolvePath: makeResolver(linkTarget), exists: existsSync };
      const { attached } = explainPolicy({ ...inquiry, tool: inquiry.tool ?? '' }, settings, tools);
      const offer = inquiry.kind === 'question' ? undefined : grantFor(inquiry, settings, tools)?.rules;
      const never = neverConsulted(inquiry, { ...judge(inquiry, settings, tools), exclusive: false }, settings);
      const isDefault = attached.source === 'default' || /^tools\./.test(attached.rule);
      const rule = isDefault
        ? `no rule allows it (${attached.source}: ${attached.verdict})`
        : `${attached.rule} (${attached.source})`;
      const line = offer?.length
        ? `rules: {allow: [${offer.map((one) => JSON.stringify(one)).join(', ')}]}`
        : undefined;
      return {
        ...(inquiry.kind === 'question' ? {} : { why: { rule, ...(line ? { line } : {}) } }),
        ...(offer?.length ? { offer } : {}),
        ...(never ? { risky: true } : {}),
      };
    } catch (error) {
      this.#ports.log.log('warn', 'a card without its reasons', { reason: (error as Error).message });
      // What could not be looked at is not for a button outside the page.
      return { risky: true };
    }
  }

  #history(inquiry: LostInquiry): Partial<Card> {
    try {
      // A project has sessions of several namespaces: who sees this one may not know of the others, nor of one that is gone.
      const of = (session: string) => {
        const spec = specOf(placeOf(this.#ports.where.env, session));
        return spec && (spec.namespace ?? DEFAULT_NAMESPACE);
      };
      const own = of(inquiry.session);
      const told = decidedLines(this.#ports.where, inquiry, (session) => own !== undefined && of(session) === own);
      const history = [...told, ...this.#answered(inquiry)].join('\n');
      return history === '' ? {} : { history };
    } catch {
      return {}; // decisions that cannot be read are none
    }
  }

  /** Looked up once: a card is made anew with every stage, and its past is that of the moment it was opened. */
  #answered(inquiry: LostInquiry): string[] {
    const known = this.#before.get(inquiry.id) ?? answeredLines(this.#ports.where.env, inquiry);
    this.#before.set(inquiry.id, known);
    const [oldest] = this.#before.keys();
    if (this.#before.size > MOST_KNOWN && oldest !== undefined) this.#before.delete(oldest);
    return known;
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // no link, or nothing there
  }
}

/** Its beginning, and how much more there is. */
function cutInquiry(inquiry: LostInquiry): LostInquiry {
  const text = JSON.stringify(inquiry.input ?? null, null, 2);
  const rest = text.length - MOST_SHOWN / 2;
  const input = `${text.slice(0, MOST_SHOWN / 2)}\n… and ${rest} characters more, which are not shown here`;
  return { ...inquiry, input, editable: false, ...(inquiry.result ? { result: { text: '', truncated: true } } : {}) };
}
