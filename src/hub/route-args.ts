/**
 * What a request brings, read by the route's schema and nothing else: the body of a POST as JSON, the query of a GET with
 * numbers and yes or no as the schema says. Read in pieces, and given up at a length.
 */
import { z } from 'zod';
import { ReinsError } from '../contract/index.js';
import { HUB_ROUTES, type RouteName } from '../contract/page.js';
import { HubSchemas } from '../contract/schemas.js';

/** A message of a million characters, each written as `\u0000`. */
const MOST_BODY = 8 * 1024 * 1024;
/** Of who is not let in. */
const MOST_STRANGER = 8 * 1024;
/** Of a device about itself, whatever its right: forty of these at once are nothing. */
const MOST_OWN = 64 * 1024;

const MOST_BY_RIGHT: Record<string, number | undefined> = { none: MOST_STRANGER, device: MOST_OWN };

export async function readArgs(name: RouteName, request: Request): Promise<unknown> {
  const route = HUB_ROUTES[name];
  const given =
    route.method === 'GET'
      ? fromQuery(name, new URL(request.url).searchParams)
      : route.method === 'POST'
        ? await fromBody(request, MOST_BY_RIGHT[route.right as string] ?? MOST_BODY)
        : {};
  const parsed = (HubSchemas[name].args as z.ZodType).safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  // What was sent is not said again: it may be a secret.
  throw usage(`${where === '' ? 'what was sent' : where}: ${issue?.message ?? 'not as expected'}`);
}

const usage = (problem: string): ReinsError => new ReinsError('USAGE', { problem, fix: 'see /api/openapi.json' });

function fromQuery(name: RouteName, query: URLSearchParams): Record<string, unknown> {
  const shape = HubSchemas[name].args.shape as Record<string, z.ZodType>;
  const keys = [...query.keys()];
  if (new Set(keys).size !== keys.length) throw usage('a name is given twice');
  return Object.fromEntries(keys.map((key) => [key, typed(shape[key], query.get(key)!)]));
}

/** As the schema wants it; else as it stands, and the schema says what is wrong. */
function typed(schema: z.ZodType | undefined, text: string): unknown {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (inner instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text;
  if (inner instanceof z.ZodNumber) return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  return text;
}

async function fromBody(request: Request, most: number): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json(?:;|$)/i.test(type)) throw new ReinsError('BODY_TYPE', {});
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > most) throw new ReinsError('BODY_TOO_LARGE', { most });
    chunks.push(chunk);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw usage('the body is no JSON');
  }
}
