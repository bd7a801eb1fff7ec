/** The player of regression workers (bin/player.ts), from the bundle if there is one. */

const { dirname, join } = require('node:path');
const { BUNDLE, loadProgram } = require('./program.cjs');

exports.createPlayer = async (settings, host) => {
  const bundle = loadProgram(join(dirname(dirname(__dirname)), BUNDLE));
  const { createPlayer } = bundle?.exports ?? (await import('../../dist/bin/player.js'));
  return createPlayer(settings, host);
};
