/**
 * ESLint rule: a generator that is called and dropped never runs. `this.delay(5);` does nothing at all; it must be
 * `yield* this.delay(5);`, or the generator must be handed to `spawn`. TypeScript has nothing to say about it.
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
