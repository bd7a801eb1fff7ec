#!/bin/sh
# Stands in for sbatch, squeue, scancel, bsub, bjobs and bkill, by the name under which it is called: starts tasks as
# processes of this machine. $STAND_IN is its folder: calls has the command lines, <job>.<task> the process of a task.
name=${0##*/}
printf '%s' "$name" >>"$STAND_IN/calls"
for word in "$@"; do printf ' [%s]' "$word" >>"$STAND_IN/calls"; done
echo >>"$STAND_IN/calls"

# array <first> <last> <variable> <command>: starts the tasks and prints the number of the array
array() {
  job=$(ls "$STAND_IN" | sed -n 's/^\([0-9]*\)\..*/\1/p' | sort -n | tail -1)
  job=$((${job:-100} + 1))
  task=$1
  while [ "$task" -le "$2" ]; do
    env "$3=$task" setsid sh -c "$4" >/dev/null 2>>"$STAND_IN/errors" </dev/null &
    echo $! >"$STAND_IN/$job.$task"
    task=$((task + 1))
  done
  echo "$job"
}

# tasks <array>: numbers of tasks that run
tasks() {
  for file in "$STAND_IN/$1".*; do
    [ -e "$file" ] && kill -0 "$(cat "$file")" 2>/dev/null && echo "${file##*.}"
  done
}

stop() { kill -TERM "-$(cat "$STAND_IN/$1.$2")" 2>/dev/null; }

case $name in
  sbatch)
    for word in "$@"; do
      case $word in
        --array=*) range=${word#--array=}; range=${range%\%*} ;;
        --wrap=*) command=${word#--wrap=} ;;
      esac
    done
    array "${range%-*}" "${range#*-}" SLURM_ARRAY_TASK_ID "$command"
    ;;
  squeue)
    for word in "$@"; do case $word in --jobs=*) jobs=$(echo "${word#--jobs=}" | tr , ' ') ;; esac; done
    for job in $jobs; do for task in $(tasks "$job"); do echo "${job}_$task"; done; done
    ;;
  scancel)
    for word in "$@"; do case $word in *_*) stop "${word%_*}" "${word#*_}" ;; esac; done
    ;;
  bsub)
    while [ $# -gt 1 ]; do
      [ "$1" = -J ] && range=$2
      shift
    done
    range=${range#*[}
    range=${range%]*}
    echo "Job <$(array "${range%-*}" "${range#*-}" LSB_JOBINDEX "$1")> is submitted to default queue <normal>."
    ;;
  bjobs)
    for word in "$@"; do
      case $word in
        *[!0-9]*) ;;
        *) for file in "$STAND_IN/$word".*; do
            kill -0 "$(cat "$file")" 2>/dev/null && state=RUN || state=DONE
            echo "$word ${file##*.} $state"
          done ;;
      esac
    done
    ;;
  bkill)
    for word in "$@"; do task=${word#*[}; stop "${word%[*}" "${task%]}"; done
    ;;
esac
exit 0
