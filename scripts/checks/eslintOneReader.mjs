/**
 * What is read from disk goes through the reader in `files/`: bounded, data only, checked by a schema. Anywhere else whoever
 * reads by himself is reported, but for the files of `exceptions`, each with its reason and at most five.
 */

const MOST_EXCEPTIONS = 5;
const READS = new Set(['readFileSync', 'readFile', 'createReadStream', 'parseDocument', 'parseAllDocuments']);

/** @type {import('eslint').Rule.RuleModule} */
export const oneReader = {
  meta: {
    type: 'problem',
    schema: [{ type: 'object', additionalProperties: { type: 'string', minLength: 1 } }],
    messages: {
      read: '{{name}} outside of files/: read with files/inputFile, files/json or files/yaml, which bound and check',
      exceptions: 'more than {{most}} files read by themselves; take one back to the reader in files/',
    },
  },
  create(context) {
    const exceptions = Object.keys(context.options[0] ?? {});
    const path = context.filename.slice(context.cwd.length + 1);
    if (exceptions.length > MOST_EXCEPTIONS)
      return { Program: (node) => context.report({ node, messageId: 'exceptions', data: { most: MOST_EXCEPTIONS } }) };
    if (exceptions.includes(path)) return {};
    return {
      /** `readFileSync(...)`, `fs.readFile(...)`, `JSON.parse(...)`. */
      CallExpression({ callee }) {
        const name = callee.type === 'MemberExpression' ? callee.property.name : callee.name;
        const isJson = name === 'parse' && callee.type === 'MemberExpression' && callee.object.name === 'JSON';
        if (isJson || READS.has(name))
          context.report({ node: callee, messageId: 'read', data: { name: isJson ? 'JSON.parse' : name } });
      },
    };
  },
};
