/**
 * ESLint rule: a generator that is called and dropped never runs. `left.send(source);` does nothing at all; it must be
 * `yield* left.send(source);`, or the generator must be handed to `spawn`. TypeScript has nothing to say about it. The
 * posting of the host API, which does its work in the call, is no exception: another provider may take time behind it.
 */
export const noDroppedProc = {
  meta: {
    type: 'problem',
    messages: {
      dropped: 'This call makes a process and drops it: nothing is run. Write "yield*" before it, or spawn it.',
    },
    schema: [],
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    return {
      ExpressionStatement(node) {
        const call = node.expression;
        if (call.type !== 'CallExpression') return;
        const name = services.getTypeAtLocation(call).getSymbol()?.getName();
        if (name === 'Generator' || name === 'AsyncGenerator') context.report({ node, messageId: 'dropped' });
      },
    };
  },
};
