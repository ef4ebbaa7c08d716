/** The JSON schema of `reins.yml`, for editors, for docs/config.md and for finding the nearest known key. */
import { z } from 'zod';
import { ConfigSchema } from './schema.js';

/** The part of JSON Schema that zod writes for us. */
export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  required?: string[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

let made: JsonSchema | undefined;

/** What may be written (not what comes out): keys with defaults are optional. */
export function configJsonSchema(): JsonSchema {
  made ??= z.toJSONSchema(ConfigSchema, { io: 'input' }) as unknown as JsonSchema;
  return made;
}
