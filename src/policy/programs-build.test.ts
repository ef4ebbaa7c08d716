/** R7, beyond what was found: tools that build, test and deploy read configurations that name code to run. */
import { describe, expect, it } from 'vitest';
import { bash, verdict } from './policy.cases.js';

const PREFIXES =
  `mvn test|gradle test|bundle exec rspec|terraform plan|mypy|pylint|ruff check|black|flake8|dotnet test|rake test
  |just test|phpunit|golangci-lint run|poetry run pytest|helm list|cmake|ninja|tox|vite build|playwright test|swift test|mix test
  |git checkout|git restore|git rebase|git clone`
    .split('|')
    .map((prefix) => `Bash(${prefix.trim()}:*)`);

const ASKED = `mvn test -f x|mvn test -s x|mvn test -Dexec.executable=x|mvn test exec:exec|gradle test -I x|gradle test --init-script x
  |gradle test -b x|gradle test run|bundle exec rspec -r ./x|terraform plan -out=x|terraform plan -chdir=x|mypy --config-file x
  |pylint --init-hook=x src|pylint --load-plugins=x src|ruff check --config x .|black --config x .|flake8 --config x
  |dotnet test --settings x|rake test -f x|rake test evil|just test evil|phpunit --bootstrap x|phpunit -c x|golangci-lint run -c x
  |poetry run pytest -p x|helm list --kubeconfig x|cmake -P x|ninja -C x|tox -c x|vite build --config x|playwright test -c x
  |swift test --package-path x|mix test -r x|git checkout -- .claude/settings.json|git checkout evil -- reins.yml
  |git restore .mcp.json|git restore -s evil .claude|git clone -u ./x y`;

const ALLOWED = `mvn test|mvn test -q|mvn test clean|gradle test|gradle test --info|bundle exec rspec spec/a_spec.rb|terraform plan
  |mypy src|pylint src|ruff check .|black .|flake8 .|dotnet test|rake test|phpunit|golangci-lint run|poetry run pytest -q|helm list
  |ninja|tox|vite build|playwright test|swift test|git checkout main|git checkout -b x|git restore src/a.ts`;

const words = (list: string) => list.split('|').map((one) => one.trim());

describe('tools that build, test and deploy', () => {
  it.each(words(ASKED))('R7: %s is asked about', (command) => {
    expect(verdict(bash(command), { allow: PREFIXES })).toBe('ask');
  });
  it.each(words(ALLOWED))('R13: %s is not', (command) => {
    expect(verdict(bash(command), { allow: PREFIXES })).toBe('allow');
  });
});

describe('a project inside a folder of such a name', () => {
  const rules = { allow: ['Bash(echo:*)'] };
  const at = { cwd: '/home/me/vendor/node_modules/app' };

  it('R10: is no reason to ask about its own files', () => {
    expect(verdict(bash('echo hi > out.txt'), rules, at)).toBe('allow');
  });
  it.each(['vendor/x.js', 'package.json', '.git/config', '../x'])(
    'R10: %s in it is asked about all the same',
    (file) => {
      expect(verdict(bash(`echo hi > ${file}`), rules, at)).toBe('ask');
    },
  );
});
