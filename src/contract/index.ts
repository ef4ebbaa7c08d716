/**
 * The words of Reins, for every room and for the browser: types, ids, errors, frames, the ports for time and log. Types
 * come from the zod schemas in `schemas.ts` without loading zod.
 * @module
 */
import type { z } from 'zod';
import type * as commands from './schemas/commands.js';
import type * as entry from './schemas/entry.js';
import type * as inquiry from './schemas/inquiry.js';
import type * as notification from './schemas/notification.js';
import type * as session from './schemas/session.js';

export type * from './agent.js';
export * from './by.js';
export * from './commands.js';
export * from './errors.js';
export * from './frame.js';
export * from './ids.js';
export * from './json-keys.js';
export * from './ports.js';
export * from './reason.js';
export type { Entry, EntryType } from './schemas/entry.js';
export * from './time-left.js';

export type InquiryKind = z.infer<typeof inquiry.InquiryKind>;
export type Question = z.infer<typeof inquiry.Question>;
export type Inquiry = z.infer<typeof inquiry.Inquiry>;
export type LostInquiry = z.infer<typeof inquiry.LostInquiry>;
export type RuleRef = z.infer<typeof inquiry.RuleRef>;
export type Principal = z.infer<typeof inquiry.Principal>;
export type By = z.infer<typeof inquiry.By>;
export type Verdict = z.infer<typeof inquiry.Verdict>;
export type Answer = z.infer<typeof inquiry.Answer>;
export type Cite = z.infer<typeof inquiry.Cite>;
export type WaitingInquiry = z.infer<typeof inquiry.WaitingInquiry>;
export type Suggestion = z.infer<typeof inquiry.Suggestion>;
export type Progress = z.infer<typeof inquiry.Progress>;

export type Notification = z.infer<typeof notification.Notification>;

export type Mode = z.infer<typeof session.Mode>;
export type Trust = z.infer<typeof session.Trust>;
export type SessionState = z.infer<typeof session.SessionState>;
export type AgentState = z.infer<typeof session.AgentState>;
export type Outcome = z.infer<typeof session.Outcome>;
export type SessionRow = z.infer<typeof session.SessionRow>;
export type ScreenShot = z.infer<typeof session.ScreenShot>;
export type QueuedMessage = z.infer<typeof session.QueuedMessage>;
export type SendReceipt = z.infer<typeof session.SendReceipt>;

export type Stopped = z.infer<typeof commands.Stopped>;
export type Screen = z.infer<typeof commands.Screen>;

export type EntryPayload<T extends entry.EntryType> = z.infer<(typeof entry.EntryData)[T]>;
export type Change = z.infer<typeof entry.Change>;
export type TreeChanges = z.infer<typeof entry.TreeChanges>;
export type ProcessEnd = z.infer<typeof entry.ProcessEnd>;
