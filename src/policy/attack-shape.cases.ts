/** Commands and the allow rules under which each must be asked about. */
export interface Attack {
  allow: string[];
  commands: string[];
}
