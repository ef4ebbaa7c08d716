/**
 * Configuration: one schema for `reins.yml`, its layers, and where each value came from. Rooms below the CLI import
 * types from here and get values passed in; only the CLI calls `loadConfig`.
 * @module
 */

export { type AgreedFolder, agreedFolder, declineTrust, letTrust, letTrustAll, unletTrust } from './agent-trust.js';
export { type EffectivePolicy, type EffectiveTool, type ExplainedKey, effectiveTool, explain } from './explain.js';
export { ralphUserFile, userConfigFile } from './files.js';
export { configJsonSchema } from './json-schema.js';
export { nearest } from './known-keys.js';
export { type LoadedConfig, type LoadOptions, loadConfig, type ReadFile } from './load.js';
export type { Origin, Provenance, RuleEffect, RuleLine } from './merge.js';
export { type MigratedText, migrateText } from './migrate-text.js';
export { getIn, parsePath } from './path.js';
export { type PermissivePart, permissiveParts } from './permissive.js';
export { type InitChoice, initText, PRESETS, type Preset } from './presets.js';
export { adapterSettings } from './quick.js';
export { renderConfigDocs } from './render-docs.js';
export type {
  AttachedMode,
  AttachedRung,
  ConfigRung,
  DetachedMode,
  DetachedRung,
  Kind,
  PerKind,
} from './schema/tools.js';
export type { AdapterConfig, Config, ConfigInput } from './schema.js';
export { setInText } from './set-text.js';
export { isTrusted, type TrustedFile, trustFile, trustStoreFile } from './trust-store.js';
export { type WornAgent, wornAgent, wornName } from './worn.js';
export { stringify as yamlText } from './yaml.js';
