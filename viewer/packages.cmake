# Installs the packages that package-lock.json names, unless they are there: then nothing is asked of any network, also if a
# checkout made the lock file newer. Several build directories share the one node_modules.
file(SHA256 ${FOLDER}/package-lock.json wanted)
set(present ${FOLDER}/node_modules/.cairn-lock)
set(found "")
if(EXISTS ${present})
  file(READ ${present} found)
endif()
if(NOT found STREQUAL wanted)
  execute_process(COMMAND ${NPM} ci --prefer-offline --no-progress WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "npm ci failed in viewer/ (the packages are fetched once, which needs a network):\n${output}")
  endif()
  file(WRITE ${present} ${wanted})
endif()
file(TOUCH ${STAMP})
