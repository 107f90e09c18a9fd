// Checks the files of a project and the declarations of this package with a compiler that has the API of TypeScript before version
// 7. Prints the errors. The command tsc would also check the declarations of all other packages, in twice the time.
const [compiler, config] = process.argv.slice(2);
const ts = require(compiler);
const { options, fileNames, errors } = ts.getParsedCommandLineOfConfigFile(config, {}, ts.sys);
const program = ts.createProgram(fileNames, options);
const isChecked = ({ fileName }) => /^(?!.*\/node_modules\/(?!passport-clinician\/))/.test(fileName);
const ofFile = (file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
const ofFiles = program.getSourceFiles().filter(isChecked).flatMap(ofFile);
const diagnostics = [...errors, ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...ofFiles];
process.stdout.write(ts.formatDiagnostics(diagnostics, ts.createCompilerHost(options)));
